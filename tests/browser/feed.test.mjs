// The feed: every record, windowed and live, one of them whole beside.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PLAYBOOK, onPage, spend, until } from './studio.mjs';

test('a long feed is windowed, reads on at its end, and gathers what is new while one reads', () => onPage('feed', { hash: '#/feed' }, async ({ page, server, accessible }) => {
  let next = 1;
  const publish = async (count) => { for (let turn = 0; turn < count; turn += 1) await server.ask('POST', `${PLAYBOOK}/events`, spend(`p${next}`, next++)); };
  const grid = page.getByRole('grid', { name: 'Feed' });
  await grid.waitFor();
  await publish(260);
  // The top is in sight: new rows come in by themselves.
  await grid.getByText('event_published').first().waitFor();
  await accessible('the feed');
  const drawn = await grid.getByRole('row').count();
  assert.ok(drawn < 90, `${drawn} rows are in the page`);

  // Read on to the first record, once all are there: a list of a few rows has its top in sight at its end too.
  await until('the 260', async () => Number(await grid.getAttribute('aria-rowcount')) > 260 || (await grid.getAttribute('aria-rowcount')) === '-1');
  await grid.focus();
  await until('the first record', async () => {
    await page.keyboard.press('End');
    const away = await grid.evaluate((list) => { for (let one = list; one; one = one.parentElement) if (one.scrollTop > 0) return true; return false; });
    return away && (await page.getByText(/, from the first/).count()) > 0;
  });
  const firstId = await grid.locator('[role=row][data-now]').innerText();
  await publish(12);
  // Those of the 260 that came in after the reader had left the top have gathered too.
  const gathered = page.getByRole('button', { name: /^\d+ new$/ });
  await until('the twelve to gather', async () => (await gathered.count()) > 0 && Number.parseInt(await gathered.innerText(), 10) >= 12);
  assert.equal(await grid.locator('[role=row][data-now]').innerText(), firstId, 'the list does not jump under the reader');
  await gathered.click();
  await until('the newest on top', async () => /event_published/.test(await grid.getByRole('row').nth(1).innerText()));

  // One record whole beside, reached by its address again.
  await grid.getByRole('row').nth(1).click();
  const record = page.getByRole('complementary', { name: 'Record' });
  await record.getByText('event_published').waitFor();
  await record.getByRole('tree').getByText(/p272/).waitFor();
  assert.match(page.url(), /at=/);
  await accessible('a record');
  await page.getByRole('combobox', { name: 'Type of record' }).selectOption('definition_created');
  await until('only what was asked for', async () => (await grid.getByText('event_published').count()) === 0 && (await grid.getByText('definition_created').count()) > 0);
}));

test('one view of everything: a run in the list, in the feed and on its page ended alike', () => onPage('alike', { hash: '#/feed?type=run_succeeded' }, async ({ page, server }) => {
  const run = await server.ask('POST', `${PLAYBOOK}/definitions/computation/review-brief/run`, { input: { campaign: 'one' } });
  await page.getByRole('grid', { name: 'Feed' }).getByText('run_succeeded').click();
  await page.getByRole('link', { name: run.run_id }).click();
  await page.getByRole('heading', { name: /succeeded/ }).waitFor();
}));
