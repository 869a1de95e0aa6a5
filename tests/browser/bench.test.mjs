// The repair bench beyond its one event: on more events, where it stalls next, kept as a case, saved, and what it changed.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PLAYBOOK, importEvents, onPage, spend, until } from './studio.mjs';

const RECALL = 'Text of recall/campaign-spend';
const HASH = '#/view/campaign-spend';
const GUARD = '  const data = event.data;';
const THIRTEEN = "  if (event.id === 'thirteen') throw new Error('thirteen');\n";
const SEVENTEEN = "  if (event.id === 'seventeen') throw new Error('seventeen');\n";

/** A fold that raises at some events. */
const raising = (home, ...lines) => home.write('recall/campaign-spend.md', home.read('recall/campaign-spend.md').replace(GUARD, `${lines.join('')}${GUARD}`));
const events = (count, named = {}) => Array.from({ length: count }, (_, n) => spend(named[n + 1] ?? `p${n + 1}`, n + 1).event);

for (const dark of [false, true]) {
  test(`a text is tried on all events, and where it stalls next is shown before it is saved, ${dark ? 'dark' : 'light'}`, () => onPage(`widen-${dark ? 'dark' : 'light'}`, {
    hash: HASH, dark,
    home: (home) => {
      raising(home, THIRTEEN, SEVENTEEN);
      importEvents(home, events(20, { 5: 'thirteen', 12: 'seventeen' }));
    },
  }, async ({ page, editor, edit, accessible, picture, home, text }) => {
    await page.getByRole('alert').filter({ hasText: 'Error: thirteen' }).waitFor();
    await page.getByText('15 events wait behind it.').waitFor();
    await editor(RECALL).waitFor();
    await page.getByText(/Still stalls/).waitFor();

    await edit(RECALL, THIRTEEN, '');
    await page.getByText('Folds this event').waitFor();
    // So few events are all tried by themselves.
    const band = page.getByRole('alert').filter({ hasText: 'Error: seventeen' });
    await band.waitFor();
    const line = (await text(RECALL)).split('\n').findIndex((one) => one.includes("'seventeen'")) + 1;
    assert.match(await band.innerText(), new RegExp(`Further on, at event 12 of those it takes.*Line ${line}:`, 's'));
    await page.getByRole('tree', { name: 'The event it stalls at further on' }).getByText('"seventeen"').waitFor();
    await page.locator('.cm-litLine').waitFor();
    assert.match(await page.locator('.cm-litLine').innerText(), /seventeen/);
    await page.getByRole('button', { name: 'Save anyway' }).waitFor();
    await accessible('a stall further on');
    await picture(`further-${dark ? 'dark' : 'light'}`);
    await page.getByRole('button', { name: 'Back to the first stall' }).click();
    await page.getByRole('tree', { name: 'The event the view stopped at' }).getByText('"thirteen"').waitFor();

    // The events are kept as a case before they are mended away.
    await page.getByRole('button', { name: 'Keep as a case' }).click();
    await page.getByLabel('Name of the case').fill('thirteen');
    await accessible('keeping a case');
    await page.keyboard.press('Enter');
    await page.getByRole('status').filter({ hasText: 'Written to tests/recall/campaign-spend/thirteen.yaml' }).waitFor();
    assert.match(home.read('tests/recall/campaign-spend/thirteen.yaml'), /events:/);
    await picture(`kept-${dark ? 'dark' : 'light'}`);

    await edit(RECALL, SEVENTEEN, '');
    await page.getByText(/All 20 events fold/).waitFor();
    await page.getByRole('button', { name: 'Show the view it makes' }).click();
    await page.getByRole('tree', { name: 'The view after all events tried' }).getByText('campaign-1').waitFor();
    await page.getByRole('button', { name: 'Save and rebuild' }).click();
    await page.getByText(/Live again with version 2: 20 events folded from the first/).waitFor();
    // The view of the version before stood at four events.
    await page.getByText(/Against version 1, as it stood when it was replaced:/).waitFor();
    await until('what is new', async () => (await page.getByRole('tree', { name: 'View of campaign-spend, against version 1' }).locator('[data-mark="added"]').count()) > 0);
    await accessible('a repaired view');
    await picture(`mended-${dark ? 'dark' : 'light'}`);
    await page.getByRole('button', { name: 'Show the view alone' }).click();
    await page.getByRole('tree', { name: 'View of campaign-spend', exact: true }).waitFor();
  }));
}

test('of many events the last hundred are tried by themselves, all by a button, and a name that is taken is not overwritten', () => onPage('widen-many', {
  hash: HASH,
  home: (home) => {
    raising(home, THIRTEEN);
    importEvents(home, events(400, { 300: 'thirteen' }));
  },
}, async ({ page, editor, edit }) => {
  await page.getByRole('alert').filter({ hasText: 'Error: thirteen' }).waitFor();
  await editor(RECALL).waitFor();
  await page.getByRole('button', { name: 'Try all 400 events' }).waitFor();
  await edit(RECALL, THIRTEEN, '');
  await page.getByText(/The 100 events tried fold/).waitFor();
  await page.getByRole('button', { name: 'Save anyway' }).waitFor();
  await page.getByRole('button', { name: 'Try all 400 events' }).click();
  await page.getByText(/All 400 events fold/).waitFor();
  await page.getByRole('img', { name: /Sizes of the view: largest/ }).waitFor();
  for (let turn = 0; turn < 2; turn += 1) {
    await page.getByRole('button', { name: 'Keep as a case' }).click();
    await page.getByLabel('Name of the case').fill('again');
    await page.keyboard.press('Enter');
    if (turn === 0) await page.getByRole('status').filter({ hasText: 'Written to tests/recall/campaign-spend/again.yaml' }).waitFor();
    else await until('another name', async () => (await page.getByLabel('Name of the case').inputValue()) === 'again-2');
    if (turn === 0) await page.getByRole('button', { name: 'Close', exact: true }).click();
  }
}));

test('a view that its schema refuses shows both sides', () => onPage('hints', {
  hash: HASH,
  home: (home) => raising(home, "  if (event.id === 'odd') return { odd: { spent_cents: -1, payments: 0, last: '', channels: {} } };\n"),
}, async ({ page, server, accessible }) => {
  await server.ask('POST', `${PLAYBOOK}/events`, spend('p1', 700));
  await server.ask('POST', `${PLAYBOOK}/events`, spend('odd', 700));
  await page.getByText('The fold returned a view that view.schema refuses.').waitFor();
  const hints = page.getByRole('note', { name: 'What to try' });
  await hints.getByText('/odd/spent_cents').waitFor();
  await hints.getByText('-1', { exact: true }).waitFor();
  await hints.getByText(/"minimum":0/).waitFor();
  await accessible('hints');
  // At 200 % of 1024 by 640 nothing is cut off sideways.
  await page.setViewportSize({ width: 512, height: 320 });
  await hints.waitFor();
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(wide <= 0, `${wide} px too wide`);
}));

/** Keeps about 11 KiB of each event, and all of them. */
const GROWING = `---
description: Keeps much of each event
language: typescript
source:
  events:
    - type: com.example.campaign.spend
view:
  initial: {}
---
export function fold(view: View, event: Event): View {
  const kept = Object.entries(typeof view === 'object' && view !== null && !Array.isArray(view) ? view : {});
  const rows = Array.from({ length: 120 }, (_, row) => ({ at: event.time ?? '', row, text: 'what was kept of it '.repeat(2) }));
  return Object.fromEntries([...kept, [event.id, rows]]);
}
`;

for (const dark of [false, true]) {
  test(`a view that grew too large shows its largest members, and its sizes under the bound, ${dark ? 'dark' : 'light'}`, () => onPage(`size-${dark ? 'dark' : 'light'}`, {
    hash: '#/view/growing-view', dark,
    home: (home) => {
      home.write('recall/growing-view.md', GROWING);
      importEvents(home, events(90));
    },
  }, async ({ page, editor, edit, accessible, picture }) => {
    await page.getByText('The fold returned a view larger than 512 KiB.').waitFor();
    const hints = page.getByRole('note', { name: 'What to try' });
    await hints.getByRole('row', { name: /p10 11,\d+ bytes/ }).waitFor();
    await hints.getByText(/None of its 46 members stands out: there are too many/).waitFor();
    await accessible('a view too large');
    await editor('Text of recall/growing-view').waitFor();
    await edit('Text of recall/growing-view', 'view : {});', 'view : {}).slice(-40);');
    await page.getByText(/All 90 events fold/).waitFor();
    await page.getByText('524,288 bytes at most').waitFor();
    await accessible('the sizes under their bound');
    await picture(`size-${dark ? 'dark' : 'light'}`);
  }));
}
