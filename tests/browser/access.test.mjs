// Everything by keyboard, both themes and small windows without loss, and no serious finding of axe anywhere.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PLAYBOOK, onPage, spend, until } from './studio.mjs';

const SCREENS = [
  ['home', '#/home', /Playbook Studio/],
  ['document', '#/document/computation/review-brief', /computation\//],
  ['overview', '#/document/recall/campaign-spend?side=overview', /What it/],
  ['types', '#/document/recall/campaign-spend?side=types', /recall\//],
  ['schemas', '#/document/recall/campaign-spend?side=schemas', /recall\//],
  ['standing', '#/document/recall/campaign-spend?side=standing', /events? folded/],
  ['runs', '#/runs', /succeeded/],
  ['feed', '#/feed', /event_published/],
  ['views', '#/views', /recall functions/],
  ['view', '#/view/campaign-spend', /events? folded/],
  ['publish', '#/publish', /No server yet/],
  ['settings', '#/settings', /^Self-check/],
  ['workflow', '#/document/workflow/approve-campaign', /workflow\//],
  ['inbox', '#/inbox', /Nobody is asked anything/],
  ['triggers', '#/triggers', /take-in-briefs/],
];

for (const dark of [false, true]) {
  test(`no serious finding on any screen, ${dark ? 'dark' : 'light'}`, () => onPage(`axe-${dark ? 'dark' : 'light'}`, { dark }, async ({ page, go, server, accessible, picture }) => {
    await server.ask('POST', `${PLAYBOOK}/definitions/computation/review-brief/run`, { input: { campaign: 'one' } });
    await server.ask('POST', `${PLAYBOOK}/events`, spend('p1', 100));
    for (const [name, hash, sees] of SCREENS) {
      await go(hash);
      await page.getByText(sees).filter({ visible: true }).first().waitFor();
      if (hash.startsWith('#/document')) await page.locator('.cm-content').first().waitFor();
      await accessible(name);
      await picture(`${name}-${dark ? 'dark' : 'light'}`);
    }
  }));
}

test('at 1024 by 640 and at 200 %, nothing is cut off sideways', () => onPage('small', { width: 512, height: 320 }, async ({ page, go, server }) => {
  await server.ask('POST', `${PLAYBOOK}/definitions/computation/review-brief/run`, { input: { campaign: 'one' } });
  await server.ask('POST', `${PLAYBOOK}/events`, spend('p1', 100));
  for (const [name, hash, sees] of SCREENS) {
    await go(hash);
    await page.getByText(sees).filter({ visible: true }).first().waitFor();
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(wide <= 0, `${name} is ${wide} px too wide`);
  }
}));

test('the palette leads anywhere, and the focus comes back', () => onPage('palette', { hash: '#/document/computation/review-brief' }, async ({ page, editor, accessible }) => {
  await editor('Text of computation/review-brief').waitFor();
  await editor('Text of computation/review-brief').focus();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Command' }).waitFor();
  await accessible('the palette');
  await page.keyboard.press('Escape');
  await until('the focus back in the editor', () => page.evaluate(() => document.activeElement?.classList.contains('cm-content')));
  await page.keyboard.press('Control+p');
  await page.getByRole('combobox', { name: 'Go to' }).waitFor();
  await page.keyboard.type('campaign-spend');
  await page.keyboard.press('Enter');
  await editor('Text of recall/campaign-spend').waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Command' }).waitFor();
  await page.keyboard.type('settings');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Settings and self-check' }).waitFor();
  await page.keyboard.press('Alt+ArrowLeft');
  await editor('Text of recall/campaign-spend').waitFor();
}));

test('F6 walks the regions, the arrows the tree, Esc and Tab leave the editor', () => onPage('regions', { hash: '#/document/computation/review-brief' }, async ({ page, editor }) => {
  await editor('Text of computation/review-brief').waitFor();
  await editor('Text of computation/review-brief').focus();
  const region = () => page.evaluate(() => document.activeElement?.closest('[data-region]')?.getAttribute('data-region') ?? null);
  const seen = new Set();
  for (let turn = 0; turn < 6; turn += 1) {
    await page.keyboard.press('F6');
    seen.add(await region());
  }
  for (const wanted of ['tree', 'editor', 'inspector', 'panel']) assert.ok(seen.has(wanted), `${wanted} was not reached: ${[...seen]}`);

  await page.getByRole('treeitem', { name: /^review-brief/ }).focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  await editor('Text of workflow/approve-campaign').waitFor();

  await editor('Text of workflow/approve-campaign').focus();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Tab');
  await until('the focus out of the editor', async () => !(await page.evaluate(() => document.activeElement?.classList.contains('cm-content'))));
}));

test('the theme is chosen, kept, and wins over the system’s', () => onPage('theme', { hash: '#/settings', dark: true }, async ({ page }) => {
  const background = () => page.evaluate(() => getComputedStyle(document.querySelector('main')).backgroundColor);
  await page.getByRole('heading', { name: 'Settings and self-check' }).waitFor();
  const dark = await background();
  await page.getByText('Light', { exact: true }).click();
  await until('the light theme', async () => (await background()) !== dark);
  const light = await background();
  await page.reload();
  await page.getByRole('heading', { name: 'Settings and self-check' }).waitFor();
  assert.equal(await background(), light);
}));

test('every screen has an address: reload and back lead there again', () => onPage('address', {}, async ({ page, go }) => {
  for (const [, hash, sees] of [SCREENS[10], SCREENS[8], SCREENS[11]]) {
    await go(hash);
    await page.getByText(sees).filter({ visible: true }).first().waitFor();
  }
  await page.reload();
  await page.getByRole('heading', { name: 'Self-check', exact: true }).waitFor();
  await page.goBack();
  await page.getByText('recall functions').waitFor();
  await page.goBack();
  await page.getByText('No server yet').waitFor();
}));
