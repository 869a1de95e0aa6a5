// Views: how one stands, what it holds, asking it, and the bench that mends a stalled one.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PLAYBOOK, onPage, spend, until } from './studio.mjs';

const RECALL = 'Text of recall/campaign-spend';
const HASH = '#/view/campaign-spend';
const publish = (server, ...events) => events.reduce((before, event) => before.then(() => server.ask('POST', `${PLAYBOOK}/events`, event)), Promise.resolve());

test('a view says how it stands, follows its events, and can be asked', () => onPage('view', { hash: HASH }, async ({ page, server, accessible }) => {
  await page.getByText('No event matched yet.').waitFor();
  await publish(server, spend('p1', 700), spend('p2', 1400));
  await page.getByText(/Live, .*2 events folded/).waitFor();
  await page.getByRole('tree', { name: 'View of campaign-spend' }).getByText('campaign-0').waitFor();
  await accessible('a view');
  await page.getByRole('tab', { name: 'Filters' }).click();
  await page.getByText(/com\.example\.campaign\.spend/).first().waitFor();
  await page.getByRole('tab', { name: 'Ask' }).click();
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  await page.getByRole('tree', { name: 'Output' }).getByText('2100').first().waitFor();
  await page.getByText(/Version 1 ran/).waitFor();
}));

test('a stalled view says at which event and line; the bench mends it, and it is built again', () => onPage('bench', { hash: '#/document/recall/campaign-spend' }, async ({ page, editor, edit, text, server, home, accessible, picture }) => {
  await editor(RECALL).waitFor();
  await edit(RECALL, "  const named = data['campaign'];", "  const named = data['campaign'];\n  if (cents_of(data) === 13) throw new Error('thirteen');");
  await edit(RECALL, 'export function fold(', "export function cents_of(data: { [key: string]: Json }): number {\n  return Number(data['amount_cents']);\n}\n\nexport function fold(");
  await page.getByText('Every rule of the format holds').waitFor();
  await page.keyboard.press('Control+s');
  await page.getByText('Saved as version 2.').waitFor();
  await publish(server, spend('p1', 700), spend('p2', 13), spend('p3', 1400));

  await page.getByRole('button', { name: /1 view stalled/ }).click();
  const band = page.getByRole('alert').filter({ hasText: 'thirteen' });
  await band.waitFor();
  const line = (await text(RECALL)).split('\n').findIndex((one) => one.includes("'thirteen'")) + 1;
  assert.match(await band.innerText(), new RegExp(`Line ${line}:`));
  assert.match(await band.innerText(), /com\.example\.campaign\.spend/);
  await page.getByText(/Still stalls: the fold raised an error/).waitFor();
  await page.locator('.cm-litLine').waitFor();
  await page.getByRole('tree', { name: 'The event the view stopped at' }).getByText('13', { exact: true }).waitFor();
  await accessible('the bench');
  await picture('bench');

  // A run is refused while the view is stalled, in words.
  await page.getByRole('tab', { name: 'Ask' }).click();
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  await page.getByText('Rejected: its view has stalled.').waitFor();
  await page.getByRole('tab', { name: 'Repair bench' }).click();
  await editor(RECALL).waitFor();

  // A mistake in the text is a problem, no crash of the bench.
  await edit(RECALL, "new Error('thirteen')", 'new Eror(13)');
  await page.getByText(/1 problem|problems/).first().waitFor();
  // It folds; before and after are laid over each other.
  await edit(RECALL, "=== 13) throw new Eror(13);", '=== 13) return { ...view };');
  await page.getByText('Folds this event').waitFor();
  await edit(RECALL, "  if (cents_of(data) === 13) return { ...view };\n", '');
  await until('what the event adds', async () => (await page.getByRole('tree', { name: /The view after the event/ }).locator('[data-mark="added"]').count()) > 0);
  await page.getByRole('button', { name: /^Save (?:anyway|and rebuild)$/ }).click();
  await page.getByText(/Live again with version 3/).waitFor();
  await page.getByText(/3 events folded/).first().waitFor();
  await until('no stalled view in the status bar', async () => (await page.getByRole('button', { name: /view stalled/ }).count()) === 0);
  assert.ok(!home.read('recall/campaign-spend.md').includes('thirteen'));
}));

test('a text that no longer takes the event says so', () => onPage('passed', { hash: HASH, home: (home) => home.write('recall/campaign-spend.md', home.read('recall/campaign-spend.md').replace("  const data = event.data;", "  const data = event.data;\n  if (event.id === 'bad') throw new Error('bad');")) }, async ({ page, editor, edit, server }) => {
  await publish(server, spend('bad', 5));
  await page.getByText(/Still stalls/).waitFor();
  await editor(RECALL).waitFor();
  await edit(RECALL, '$data.amount_cents > 0', '$data.amount_cents > 100');
  await page.getByText('No longer takes this event').waitFor();
}));

test('the views are listed, the stalled first', () => onPage('views', { hash: '#/views' }, async ({ page, accessible }) => {
  await page.getByRole('link', { name: /campaign-reviews/ }).first().waitFor();
  await until('both live', async () => (await page.getByRole('list', { name: 'Views' }).getByText('live', { exact: true }).count()) === 2);
  await accessible('the views');
  await page.getByRole('list', { name: 'Views' }).getByRole('link', { name: /campaign-spend/ }).click();
  await page.getByRole('heading', { name: 'campaign-spend' }).waitFor();
}));
