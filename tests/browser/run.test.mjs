// Running: the form, the saved version and the text on screen, refusals at their fields, lists of runs.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PLAYBOOK, onPage, until } from './studio.mjs';

const FUNCTION = 'Text of computation/review-brief';
const HASH = '#/document/computation/review-brief';

test('the saved version runs with a kept input; the result, its work and its time stand there', () => onPage('run', { hash: HASH }, async ({ page, editor, server, accessible }) => {
  await editor(FUNCTION).waitFor();
  await page.getByRole('combobox', { name: 'Saved inputs' }).selectOption({ label: 'spring-sale' });
  await page.keyboard.press('Control+Enter');
  await page.getByText('"approve"').waitFor();
  await page.getByText(/Version 1 ran/).waitFor();
  await page.getByText('Time', { exact: true }).waitFor();
  await accessible('a run’s result');
  const { runs } = await server.ask('GET', `${PLAYBOOK}/runs`);
  assert.equal(runs.length, 1);
  assert.equal(runs[0].status, 'succeeded');

  // The run's page has the output, the input whole, and its history.
  await page.getByRole('link', { name: /^run / }).click();
  await page.getByRole('heading', { name: /Version 1 of computation\/review-brief succeeded/ }).waitFor();
  await page.getByRole('tab', { name: 'Input' }).click();
  await page.getByText('"spring-sale"').waitFor();
  await page.getByRole('tab', { name: /History/ }).click();
  await page.getByRole('grid', { name: 'History of the run' }).getByText('run_started').waitFor();
  await page.getByRole('grid', { name: 'History of the run' }).getByText('run_succeeded').waitFor();
  await accessible('a run’s page');
  await page.goBack();
}));

test('form and JSON are one value, and no key is lost between them', () => onPage('form', { hash: HASH }, async ({ page, editor, edit, text }) => {
  await editor(FUNCTION).waitFor();
  await page.getByRole('textbox', { name: 'campaign' }).fill('winter');
  await page.getByRole('button', { name: 'Give audience' }).click();
  await page.getByRole('textbox', { name: 'role' }).fill('head of operations');
  await page.getByRole('button', { name: 'JSON' }).click();
  await editor('Input as JSON').waitFor();
  assert.deepEqual(JSON.parse(await text('Input as JSON')), { campaign: 'winter', audience: { role: 'head of operations' } });
  await edit('Input as JSON', null, '{ "campaign": "winter", "audience": { "role": "r", "unknown": [1, { "deep": true }] }, "__proto__": { "own": 1 } }');
  await page.getByRole('button', { name: 'Form' }).click();
  await page.getByRole('textbox', { name: 'role' }).fill('changed');
  await page.getByRole('button', { name: 'JSON' }).click();
  await editor('Input as JSON').waitFor();
  assert.equal(JSON.stringify(JSON.parse(await text('Input as JSON'))), '{"campaign":"winter","audience":{"role":"changed","unknown":[1,{"deep":true}]},"__proto__":{"own":1}}');
  await edit('Input as JSON', null, '{ "campaign": ');
  await page.getByText(/Line 1, column \d+: the text ends too early/).waitFor();
  await page.getByRole('button', { name: 'Form' }).click();
  await page.getByText('The input is not JSON, so there is no form of it.').waitFor();
  await page.getByRole('button', { name: 'Mend it' }).click();
  await editor('Input as JSON').waitFor();
  assert.equal(await text('Input as JSON'), '{ "campaign": ');
}));

test('a refused input says what is wrong at its field', () => onPage('refused', { hash: HASH }, async ({ page, editor, edit, server }) => {
  await editor(FUNCTION).waitFor();
  await page.getByRole('button', { name: 'JSON' }).click();
  await editor('Input as JSON').waitFor();
  await edit('Input as JSON', null, '{ "campaign": "spring-sale", "offer": 5 }');
  await page.getByRole('button', { name: 'Form' }).click();
  await page.getByRole('button', { name: 'Run version 1' }).click();
  await page.getByText('Rejected: the input does not fit.').waitFor();
  const said = page.getByRole('group', { name: 'Input' }).getByRole('alert');
  await said.waitFor();
  assert.match(await said.innerText(), /offer/);
  const { runs } = await server.ask('GET', `${PLAYBOOK}/runs`);
  assert.equal(runs[0]?.status, 'rejected');
}));

test('an unsaved text is tried as it stands on the screen and recorded nowhere', () => onPage('trial', { hash: HASH }, async ({ page, editor, edit, server }) => {
  await editor(FUNCTION).waitFor();
  await page.getByRole('textbox', { name: 'campaign' }).fill('winter');
  await edit(FUNCTION, "'approve'", "'approve'.slice(0)");
  await page.getByRole('button', { name: 'Try this text' }).click();
  await page.getByText(/The text on screen at .* ran, recorded nowhere/).waitFor();
  const { runs } = await server.ask('GET', `${PLAYBOOK}/runs`);
  assert.equal(runs.length, 0);
  await page.getByRole('button', { name: 'Run version 1' }).click();
  await page.getByText(/Version 1 ran/).waitFor();
}));

test('an input is kept in the folder and offered again', () => onPage('keep', { hash: HASH }, async ({ page, editor, home }) => {
  await editor(FUNCTION).waitFor();
  await page.getByRole('textbox', { name: 'campaign' }).fill('summer');
  await page.getByRole('button', { name: 'Keep', exact: true }).click();
  await page.getByLabel('Name of the input').fill('summer-idea');
  await page.getByRole('button', { name: 'Keep in the folder' }).click();
  await page.getByRole('combobox', { name: 'Saved inputs' }).getByRole('option', { name: 'summer-idea' }).waitFor({ state: 'attached' });
  assert.deepEqual(JSON.parse(home.read('inputs/computation/review-brief/summer-idea.json')), { campaign: 'summer' });
}));

test('runs are listed newest first, filtered by the address, and followed live', () => onPage('runs', { hash: '#/runs' }, async ({ page, server, go, accessible }) => {
  await page.getByText('Nothing has run yet').waitFor();
  const run = (input) => server.ask('POST', `${PLAYBOOK}/definitions/computation/review-brief/run`, { input }).catch(() => undefined);
  await run({ campaign: 'one' });
  const grid = page.getByRole('grid', { name: 'Runs' });
  await grid.getByText('succeeded').first().waitFor();
  await run({ campaign: 5 });
  await grid.getByText('rejected').first().waitFor();
  await accessible('the runs');
  await page.getByRole('combobox', { name: 'How it ended' }).selectOption('rejected');
  await until('only the refused run', async () => (await grid.getByRole('row').count()) === 2);
  assert.match(page.url(), /status=rejected/);
  await page.getByRole('combobox', { name: 'How it ended' }).selectOption('failed');
  await page.getByText('No run fits the filter').waitFor();
  await go('#/runs');
  await until('every run', async () => (await page.getByRole('grid', { name: 'Runs' }).getByRole('row').count()) === 3);
  await page.getByRole('grid', { name: 'Runs' }).focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: /of computation\/review-brief/ }).waitFor();
}));
