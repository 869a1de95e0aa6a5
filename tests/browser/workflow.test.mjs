// Workflows: the text and its drawing in step, a run that waits for a person, what starts runs by itself.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PLAYBOOK, onPage, until } from './studio.mjs';

const WORKFLOW = 'Text of workflow/approve-campaign';
const HASH = '#/document/workflow/approve-campaign';

for (const dark of [false, true]) {
  test(`a run waits for its answer, is answered in the inbox, and is stepped through, ${dark ? 'dark' : 'light'}`, () => onPage(`workflow-${dark ? 'dark' : 'light'}`, { hash: HASH, dark }, async ({ page, editor, go, server, accessible, picture }) => {
    await editor(WORKFLOW).waitFor();
    await page.locator('svg g[data-kind]').first().waitFor();
    await accessible('a workflow’s document');
    await picture(`workflow-document-${dark ? 'dark' : 'light'}`);
    await page.getByRole('tab', { name: 'Run', exact: true }).click();
    await page.getByRole('combobox', { name: 'Saved inputs' }).selectOption({ label: 'spring-sale' });
    await page.getByRole('button', { name: /^Run/ }).first().click();

    await page.getByRole('heading', { name: /approve-campaign goes on: ask-the-owner waits for/ }).waitFor();
    await accessible('a run that waits');
    await picture(`workflow-waits-${dark ? 'dark' : 'light'}`);

    await go('#/inbox');
    await page.getByRole('grid', { name: /equests/ }).getByText('anna').click();
    await page.getByText('The review of your campaign brief is ready:').first().waitFor();
    // Nobody decides for the one who is asked.
    await page.getByRole('button', { name: 'Answer', exact: true }).click();
    await page.getByText('Not taken.').waitFor();
    await page.getByRole('combobox', { name: 'verdict' }).selectOption('approve');
    await accessible('the inbox');
    await page.getByRole('button', { name: 'Answer', exact: true }).click();
    await page.getByText('Answered.').waitFor();

    const { runs } = await until('the run’s end', async () => {
      const found = await server.ask('GET', `${PLAYBOOK}/runs?type=workflow`);
      return found.runs[0]?.status === 'succeeded' ? found : null;
    });
    await go(`#/run/${runs[0].run_id}`);
    await page.getByRole('heading', { name: /approve-campaign succeeded/ }).waitFor();
    await page.getByRole('button', { name: 'To the first step' }).waitFor();
    await page.getByText('At its end.').waitFor();
    await page.keyboard.press('F7');
    await accessible('a run’s steps');
    await page.getByRole('tab', { name: /Records/ }).click();
    await page.getByText('An output came for ask-the-owner').waitFor();
    await page.getByRole('tab', { name: 'Timeline' }).click();
    await page.getByText('This run').waitFor();
    await accessible('a run’s timeline');
  }));
}

test('a step of the drawing and its lines are chosen together', () => onPage('workflow-step', { hash: HASH }, async ({ page, editor }) => {
  await editor(WORKFLOW).waitFor();
  const node = page.getByRole('option', { name: /^3 Set campaign, verdict and note/ });
  await node.first().waitFor({ state: 'attached' });
  await editor(WORKFLOW).evaluate((content) => {
    const { view } = content.cmTile.root;
    view.dispatch({ selection: { anchor: view.state.doc.toString().indexOf('- revise:') + 4 } });
    view.focus();
  });
  await until('the step that the cursor stands in', async () => (await node.first().getAttribute('aria-selected')) === 'true');
  // And back: choosing another step shows its lines.
  await page.locator('svg g[data-kind=call]').first().click();
  const line = () => editor(WORKFLOW).evaluate((content) => {
    const { state } = content.cmTile.root.view;
    return state.doc.lineAt(state.selection.main.head).text;
  });
  await until('the lines of the step that was chosen', async () => (await line()).includes('review'));
}));

test('a mistake in an expression is marked at its line, in the compiler’s words', () => onPage('workflow-mistake', { hash: HASH }, async ({ page, editor, edit }) => {
  await editor(WORKFLOW).waitFor();
  await edit(WORKFLOW, '$workflow.input.owner', '$workflows.input.owner');
  await page.getByText(/Cannot find name '\$workflows'/).first().waitFor();
}));

test('what starts by itself says what it would have matched', () => onPage('triggers', { hash: '#/triggers' }, async ({ page, server, home, accessible, picture }) => {
  await server.ask('POST', `${PLAYBOOK}/events`, { event: JSON.parse(home.read('events/winter-webinar-brief.json')) });
  await page.getByRole('grid', { name: 'Triggers' }).getByText('take-in-briefs').click();
  await page.getByRole('heading', { name: /Each time an event of the type com.example.campaign.submitted is published/ }).waitFor();
  await page.getByRole('button', { name: /would it have matched/ }).click();
  await page.getByText(/^1 of \d+ events/).waitFor();
  await accessible('the triggers');
  await picture('triggers');
  const { runs } = await until('the run it started', async () => {
    const found = await server.ask('GET', `${PLAYBOOK}/runs?type=workflow`);
    return found.runs.some((run) => run.name === 'take-in-briefs') ? found : null;
  });
  assert.deepEqual(runs.map((run) => run.name).sort(), ['approve-campaign', 'take-in-briefs']);
}));
