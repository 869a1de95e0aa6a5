// Changing a workflow in its drawing: each change is a change of its own lines, and undo takes it back.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onPage, until } from './studio.mjs';

const WORKFLOW = 'Text of workflow/approve-campaign';
const HASH = '#/document/workflow/approve-campaign';
const KINDS = ['Call', 'Set data', 'Decision', 'Loop', 'Group', 'Branches at once', 'Steps with recovery', 'Wait', 'Listen', 'Emit an event', 'Raise an error'];

/** The lines that went and those that came, of texts that differ in one place. */
function changed(before, after) {
  const [old, now] = [before.split('\n'), after.split('\n')];
  let from = 0;
  while (from < old.length && from < now.length && old[from] === now[from]) from += 1;
  let end = 0;
  while (end < old.length - from && end < now.length - from && old[old.length - 1 - end] === now[now.length - 1 - end]) end += 1;
  return [...old.slice(from, old.length - end).map((line) => `-${line}`), ...now.slice(from, now.length - end).map((line) => `+${line}`)];
}

/** The steps' form, and the text once it says something. */
function tools({ page, text, editor }) {
  const form = page.getByRole('region', { name: 'Form of the step' });
  const step = form.getByRole('combobox', { name: 'Step', exact: true });
  return {
    form,
    step,
    drawing: page.getByRole('listbox', { name: 'Steps of approve-campaign' }),
    ready: async () => { await editor(WORKFLOW).waitFor(); await step.waitFor(); await page.locator('svg g[data-kind]').first().waitFor(); },
    choose: async (title) => {
      await until(`the step ${title}`, async () => (await step.locator('option').allTextContents()).some((one) => one.trim() === title));
      await step.selectOption({ value: await step.locator('option', { hasText: title }).first().getAttribute('value') });
    },
    says: (words, look) => until(words, async () => { const now = await text(WORKFLOW); return look(now) ? now : null; }),
    undo: () => editor(WORKFLOW).evaluate((content) => content.focus()).then(() => page.keyboard.press('ControlOrMeta+z')),
  };
}

for (const dark of [false, true]) {
  test(`a step’s form changes its own lines, ${dark ? 'dark' : 'light'}`, () => onPage(`authoring-${dark ? 'dark' : 'light'}`, { hash: HASH, dark }, async (studio) => {
    const { page, text, accessible, picture } = studio;
    const { form, ready, choose, says, undo } = tools(studio);
    await ready();
    const before = await text(WORKFLOW);
    await choose('4.1 ask-the-owner');
    await form.getByRole('textbox', { name: 'Name' }).waitFor();
    await accessible('the form of a call');
    await picture(`authoring-call-${dark ? 'dark' : 'light'}`);

    await form.getByRole('textbox', { name: 'Time limit' }).fill('PT1H');
    await page.keyboard.press('Enter');
    let now = await says('the time limit', (all) => all.includes('PT1H'));
    assert.deepEqual(changed(before, now), ['+            timeout:', '+              after: PT1H']);
    await undo();
    await says('what it said before', (all) => all === before);

    // Its input as YAML; what is written there stays as it is written.
    const input = form.getByRole('textbox', { name: 'With the input' });
    assert.equal(await input.inputValue(), 'owner: ${ $workflow.input.owner }\nreview: ${ $context.review.verdict }');
    await input.fill('owner: ${ $workflow.input.owner } # who\nreview: ${ $context.review.verdict }');
    await form.getByRole('textbox', { name: 'Name' }).focus();
    now = await says('the remark', (all) => all.includes('# who'));
    assert.deepEqual(changed(before, now), ['-                owner: ${ $workflow.input.owner }', '+                owner: ${ $workflow.input.owner } # who']);

    // What is refused stays typed, with the reason.
    await input.fill('owner: [');
    await form.getByRole('textbox', { name: 'Name' }).focus();
    await form.getByRole('alert').getByText(/no YAML value/).waitFor();
    assert.equal(await input.inputValue(), 'owner: [');
    assert.equal(await text(WORKFLOW), now);
    await input.focus();
    await page.keyboard.press('Escape');
    await until('what the text says', async () => /# who/.test(await input.inputValue()));

    await choose('2 decide');
    const when = form.getByRole('textbox', { name: 'When' }).first();
    assert.equal(await when.inputValue(), '${ $context.review.recommendation === "Ready" }');
    await accessible('the form of a decision');
    await picture(`authoring-decision-${dark ? 'dark' : 'light'}`);
    await form.getByRole('button', { name: 'Add a case' }).click();
    await says('the case', (all) => all.includes('        - case-2:\n            when: ${ $data === null }\n            then: continue\n        - otherwise:') || all.includes("        - case-2:\n            when: '${ $data === null }'\n            then: continue\n        - otherwise:"));
    await form.getByRole('button', { name: 'Take the case case-2 out' }).click();
    await says('no case', (all) => all === now);
  }));
}

test('steps are added, named, moved, wrapped and deleted by the keyboard alone', () => onPage('authoring-keys', { hash: HASH }, async (studio) => {
  const { page, text, home, accessible } = studio;
  const { form, step, ready, choose, says, drawing } = tools(studio);
  await ready();
  const before = await text(WORKFLOW);
  await choose('3 revise');
  await drawing.focus();

  await page.keyboard.press('Alt+ArrowUp');
  let now = await says('revise before decide', (all) => all.indexOf('- revise:') < all.indexOf('- decide:'));
  await page.keyboard.press('ControlOrMeta+z');
  await says('what it said before', (all) => all === before);
  await until('the step where it was', async () => (await step.inputValue()) === '/do/2/revise');

  await page.keyboard.press('d');
  now = await says('the copy', (all) => all.includes('- revise-2:'));
  assert.deepEqual(changed(before, now), ['+  - revise-2:', '+      set:', '+        campaign: ${ $context.review.campaign }', '+        verdict: revise', '+        note: ${ $context.review.verdict }', '+      then: end']);
  await until('the copy chosen', async () => (await form.getByRole('textbox', { name: 'Name' }).inputValue()) === 'revise-2');
  await drawing.focus();
  await page.keyboard.press('Delete');
  await says('no copy', (all) => all === before);

  await until('the step before it chosen', async () => (await form.getByRole('textbox', { name: 'Name' }).inputValue()) === 'revise');
  await drawing.focus();
  await page.keyboard.press('F2');
  await page.keyboard.type('go-back');
  await page.keyboard.press('Tab');
  now = await says('the new name, and where it is named', (all) => all.includes('- go-back:') && all.includes('then: go-back'));
  assert.equal(now, before.replace('- revise:', '- go-back:').replace('then: revise', 'then: go-back'));
  // The focus stays in the field that Tab led to, though its step has another name; Escape leads back.
  await until('the form of the new name', async () => (await form.getByRole('textbox', { name: 'Name' }).inputValue()) === 'go-back');
  assert.equal(await form.getByRole('textbox', { name: 'Only if' }).evaluate((field) => field === document.activeElement), true);
  await page.keyboard.press('Escape');
  assert.equal(await drawing.evaluate((list) => list === document.activeElement), true);

  await page.keyboard.press('w');
  now = await says('the try', (all) => all.includes('- try-go-back:'));
  await until('a drawing of the try', async () => (await page.locator('svg g[data-kind=try]').count()) === 2);
  assert.ok(now.includes('then: try-go-back') && now.includes('      try:\n        - go-back:\n            set:\n'), now);

  // Add, after the chosen one: the menu by its keys.
  await form.getByRole('button', { name: /^Add a step after/ }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Wait' }).waitFor();
  await accessible('the kinds of steps');
  await page.keyboard.type('Wait');
  await page.keyboard.press('Enter');
  await says('the wait', (all) => all.includes('  - wait:\n      wait: PT1M\n'));
  // The new step is to be named.
  await until('its name to type', async () => page.evaluate(() => document.activeElement?.value === 'wait'));
  await page.keyboard.type('pause');
  await page.keyboard.press('ControlOrMeta+s');
  // What was typed is written into the text before the text is written to the file.
  await until('the file', () => home.read('workflow/approve-campaign.yaml').includes('  - pause:\n      wait: PT1M\n'));
  await until('nothing left to save', async () => (await text(WORKFLOW)) === home.read('workflow/approve-campaign.yaml'));
}));

test('each kind of step is added as one that passes, and drawn', () => onPage('authoring-kinds', { hash: HASH }, async (studio) => {
  const { page, text, picture } = studio;
  const { form, ready, choose, says } = tools(studio);
  await ready();
  for (const kind of KINDS) {
    await choose('1 review');
    const before = await text(WORKFLOW);
    await form.getByRole('button', { name: 'Add a step after review' }).click();
    await page.getByRole('menuitem', { name: kind, exact: true }).click();
    await says(kind, (all) => all !== before);
  }
  await until('a drawing of all', async () => (await page.locator('svg g[data-kind]').count()) >= KINDS.length + 12);
  await until('no error', async () => (await page.getByRole('tab', { name: /Problems/ }).textContent()) !== null && (await page.locator('[data-region=panel] [data-tone=error]').count()) === 0);
  await picture('authoring-kinds');
  await page.keyboard.press('ControlOrMeta+s');
  await page.getByText(/Saved as version/).waitFor();
}));
