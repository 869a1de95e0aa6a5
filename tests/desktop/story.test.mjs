// The whole story in the real window: a newcomer opens the app, takes the sample playbook, breaks a function and is
// told where, mends it, runs it, sees what happened, sees a view stall and repairs it, and publishes to a server on
// another port. The guide's pictures are made here.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test as plainTest } from 'node:test';
import { freshHome, keys, openApp, playbookProgram, root, until } from './webdriver.mjs';

const WORKFLOW = 'Text of workflow/approve-campaign';
const FUNCTION = 'Text of computation/review-brief';
const RECALL = 'Text of recall/campaign-reviews';
const INPUT = 'Input as JSON';
const REVIEW = 'Audience: met. Offer: missing. Revise.';

/** Each part goes on where the one before ended; after one that failed the rest cannot be told. */
let failedAt;
function test(name, body) {
  plainTest(name, async () => {
    if (failedAt !== undefined) throw new Error(`Not played: “${failedAt}” failed before it.`);
    try {
      await body();
    } catch (error) {
      failedAt = name;
      throw error;
    }
  });
}

/** The fold of the guide's fifth step: it trusts its events too much. */
const TRUSTING_FOLD = `export function fold(view: View, event: Event): View {
  const output = event.data as { output: { campaign: string; verdict: string; criteria: { finding: string }[] } };
  if (output.output.criteria.every((criterion) => criterion.finding === 'missing')) throw new Error('an empty brief');
  return { ...view, [output.output.campaign]: [{ at: event.time ?? '', verdict: output.output.verdict, run: event.source }] };
}
`;

const lineOf = (text, part) => text.slice(0, text.indexOf(part)).split('\n').length;

describe('the story of a newcomer', { concurrency: false }, () => {
  const home = freshHome();
  const folder = join(home.path, 'my-playbook');
  let app;
  let server;
  let mended;
  before(async () => {
    // The one function that needs a model has an output instead; see “the page’s own workflow”.
    const environment = { PLAYBOOK_TEST_STAND_INS: JSON.stringify({ 'reasoning/review-campaign-brief': REVIEW }) };
    app = await openApp({ home, environment });
  });
  after(async () => {
    await app?.close();
    server?.kill('SIGKILL');
    home.remove();
  });

  const open = async (name) => {
    await app.press('treeitem', new RegExp(`^${name}`));
    await until(`${name} open`, async () => (await app.run('return location.hash')).endsWith(`/${name}`));
  };
  const goTo = (place) => app.press('link', new RegExp(`^${place}`));
  const save = () => app.press('button', 'Save');

  test('Home offers the sample, and it opens', async () => {
    await app.press('button', /New from the sample/);
    await app.type(await app.find('textbox', /Folder/), folder);
    await app.press('button', 'Write the sample and open it');
    for (const name of ['review-brief', 'campaign-reviews', 'campaign-spend']) {
      await app.find('treeitem', new RegExp(`^${name}`));
    }
    await open('review-brief');
    await until('the text of the file in the editor', async () => (await app.editorText(FUNCTION)) === readFileSync(join(folder, 'computation/review-brief.md'), 'utf8'));
    await app.sees('version 1');
    await app.picture('start');
  });

  test('a broken function is told where, and its last version goes on', async () => {
    mended = await app.editorText(FUNCTION);
    const broken = mended.replace('    verdict: reason ===', '    verdct: reason ===');
    assert.notEqual(broken, mended);
    await app.replaceEditorText(FUNCTION, broken);
    const line = lineOf(broken, '    verdct:');
    const problem = await app.find('button', new RegExp(`Line ${line}, column 5`));
    assert.match(await app.text(problem), /verdct/);
    await app.click(problem);
    await until('the cursor on the line', async () => (await app.words()).includes(`Line ${line}, column 5:`));
    await app.picture('problem');
    await save();
    await app.sees(/stays a draft\. Version 1 goes on running/);
    assert.equal(readFileSync(join(folder, 'computation/review-brief.md'), 'utf8'), broken);
  });

  test('mended, it is saved again', async () => {
    await app.replaceEditorText(FUNCTION, mended);
    await app.sees('Every rule of the format holds for the text on screen.');
    await save();
    await until('the file as it was', () => readFileSync(join(folder, 'computation/review-brief.md'), 'utf8') === mended);
    await until('no problem in the status bar', async () => (await app.words()).includes('No problems'));
  });

  test('it runs with an input of the folder, and the result is there', async () => {
    await app.choose('Saved inputs', 'spring-sale-first-draft');
    await app.press('button', /^Run( version 1)?$/);
    await app.sees('reject: the budget is not stated');
    await app.choose('Saved inputs', 'spring-sale');
    await app.press('button', /^Run( version 1)?$/);
    await app.sees('approve');
    await app.picture('run');
  });

  test('what happened is in Runs, in the feed and in the view', async () => {
    await goTo('Runs');
    await until('two runs of the function', async () => ((await app.words()).match(/review-brief/g) ?? []).length >= 3);
    await app.picture('runs');
    await goTo('Feed');
    await app.sees(/run_succeeded|succeeded/);
    await app.picture('feed');
    await goTo('Views');
    await app.press('link', /campaign-reviews/);
    await app.sees('spring-sale');
    await app.picture('view');
    await app.press('tab', 'Scrub');
    await app.find('slider', 'Event');
    await until('the last event', () => app.run('const slider = document.querySelector("input[type=range]"); return slider?.value === slider?.max && document.querySelector("[aria-busy=false]") !== null'));
    await app.sees(/\d added|\d changed/);
    await app.picture('scrub');
  });

  test('the overview says a function in words, with its picture', async () => {
    await open('campaign-reviews');
    await app.press('tab', 'Overview');
    await app.sees(/review-brief/);
    await until('the diagram drawn', () => app.run('return document.querySelector(\'aside img[src^="data:image/svg"]\')?.complete === true'));
    await app.picture('document');
    await app.press('tab', 'Ask');
  });

  test('a fold that trusts its events stalls at one, and says why and where', async () => {
    await open('campaign-reviews');
    await until('the document in the editor', () => app.editorText(RECALL));
    const text = await app.editorText(RECALL);
    const from = text.indexOf('export function fold');
    const to = text.indexOf('export function answer');
    const trusting = `${text.slice(0, from)}${TRUSTING_FOLD}\n${text.slice(to)}`;
    await app.replaceEditorText(RECALL, trusting);
    await app.sees('Every rule of the format holds for the text on screen.');
    await save();
    await app.sees('version 2');

    await open('review-brief');
    await app.press('button', 'JSON');
    await until('the input in its editor', () => app.editorText(INPUT));
    await app.replaceEditorText(INPUT, '{ "campaign": "an-idea" }');
    await app.press('button', /^Run( version 1)?$/);
    await app.sees('reject: the audience is not stated');

    await app.press('button', /1 view stalled/);
    const stall = await app.find('alert', /an empty brief/);
    const line = lineOf(trusting, "throw new Error('an empty brief')");
    assert.match(await app.text(stall), new RegExp(`Line ${line}:`));
    assert.match(await app.text(stall), /run_succeeded/);
    await app.sees('Still stalls');
    await app.picture('stall');
  });

  test('the bench mends it: the fold passes on that event, and the view is built again', async () => {
    const trusting = await app.editorText(RECALL);
    const lines = trusting.split('\n').filter((line) => !line.includes('an empty brief'));
    await app.replaceEditorText(RECALL, lines.join('\n'));
    await app.sees('Folds this event');
    await app.sees(/All \d+ events fold/);
    await app.picture('bench');
    await app.press('button', 'Save and rebuild');
    await app.sees(/Live again with version 3/);
    await app.sees(/Against version 2, as it stood when it was replaced/);
    await app.sees('an-idea');
    await until('no stalled view in the status bar', async () => !(await app.words()).includes('view stalled'));
  });

  test('it publishes to a server on another port, and is green only when read back', async () => {
    const address = await serve(join(home.path, 'server'));
    await goTo('Publish');
    await app.press('button', 'Connect a server');
    await app.type(await app.find('textbox', /^Name/), 'Another port');
    await app.type(await app.find('textbox', /^Address/), address);
    await app.press('button', 'Connect');
    await app.press('button', 'Make a plan');
    await app.sees('new');
    await app.picture('plan');
    await app.press('button', 'Send 6');
    await app.sees('6 definitions published and read back equal');
    await app.picture('publish');
    for (const [type, name] of [['computation', 'review-brief'], ['recall', 'campaign-reviews'], ['recall', 'campaign-spend']]) {
      const answer = await fetch(`${address}/v1/orgs/local/playbooks/campaign-review/definitions/${type}/${name}`);
      assert.equal(answer.status, 200);
      const { source } = await answer.json();
      assert.equal(source, readFileSync(join(folder, type, `${name}.md`), 'utf8'), `${type}/${name}`);
    }
  });

  test('a workflow asks its owner, is answered in the inbox, and each of its steps is there', async () => {
    await app.press('treeitem', /^approve-campaign(?!-)/);
    await app.find('listbox', /Steps of approve-campaign/);
    await app.picture('workflow');
    const before = await app.editorText(WORKFLOW);
    await app.choose('Step', '\u20034.1 ask-the-owner');
    const limit = await app.find('textbox', 'Time limit');
    await app.picture('authoring');
    await app.type(limit, 'PT36H');
    await app.keys(keys.enter);
    await until('the time limit in the text', async () => (await app.editorText(WORKFLOW)) !== before);
    assert.equal((await app.editorText(WORKFLOW)).replace('            timeout:\n              after: PT36H\n', ''), before);
    // With the drawing in focus: wrapped, and both changes taken back.
    await app.run('document.querySelector("[role=listbox]").focus()');
    await app.keys('w');
    await until('the try', async () => (await app.editorText(WORKFLOW)).includes('- try-ask-the-owner:'));
    await app.keys('z', keys.control);
    await app.keys('z', keys.control);
    await until('the text as it was', async () => (await app.editorText(WORKFLOW)) === before);
    await app.press('tab', 'Run');
    await app.choose('Saved inputs', 'spring-sale');
    await app.press('button', /^Run( version 1)?$/);
    await app.sees(/ask-the-owner waits for/);
    await app.picture('waits');
    await goTo('Inbox');
    await app.press('gridcell', 'anna');
    await app.sees('The review of your campaign brief is ready:');
    await app.choose('verdict', 'approve');
    await app.picture('inbox');
    await app.press('button', 'Answer');
    await app.sees('Answered.');
    await app.press('link', 'Open its run');
    await app.sees(/approve-campaign-brief succeeded/);
    await goTo('Runs');
    await app.press('gridcell', 'approve-campaign');
    await app.sees(/approve-campaign succeeded/);
    await app.press('button', 'To the first step');
    await app.sees(/Nothing runs: this is what was recorded/);
    await app.picture('steps');
  });

  test('the page’s own workflow reviews a brief, asks its owner for approval, and ends with both', async () => {
    copyFileSync(join(root, 'tests', 'documents', 'review-and-approve.yaml'), join(folder, 'workflow', 'review-and-approve.yaml'));
    await app.press('treeitem', /^review-and-approve/);
    await app.find('listbox', /Steps of review-and-approve/);
    await save();
    await app.sees('Saved as version 1.');
    await app.press('tab', 'Run');
    await app.type(await app.find('textbox', 'brief'), 'Plant managers at breweries; USD 8,000; 40 demos booked.');
    await app.type(await app.find('textbox', 'owner'), 'olga');
    await app.press('button', /^Run( version 1)?$/);
    await app.sees(/ask-for-approval waits for/);
    await goTo('Inbox');
    await app.press('gridcell', 'olga');
    await app.sees(REVIEW);
    await app.choose('verdict', 'revise');
    await app.press('button', 'Answer');
    await app.sees('Answered.');
    await goTo('Runs');
    await app.press('gridcell', 'review-and-approve');
    await app.sees(/review-and-approve succeeded/);
    await app.press('tab', 'Output');
    await app.sees(/review\s*"Audience: met\. Offer: missing\. Revise\."/);
    await app.sees(/verdict\s*"revise"/);
  });

  test('all of it can be done by keyboard: the palette leads to a definition', async () => {
    await app.keys('k', keys.control);
    await app.find('dialog');
    await app.keys('review-brief');
    await app.keys(keys.enter);
    await until('the document', async () => (await app.run('return location.hash')).includes('review-brief'));
    await until('its text', async () => (await app.editorText(FUNCTION)) === mended);
  });

  /** Starts `playbook serve` on a free port; gives its address. */
  function serve(data) {
    server = spawn(playbookProgram, ['serve', '--data', data, '--listen', '127.0.0.1:0'], {
      env: { ...process.env, ...home.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [server.stdout, server.stderr]) stream.on('data', (chunk) => { output += chunk; });
    return until('the server\'s address', () => {
      assert.equal(server.exitCode, null, `the server ended: ${output}`);
      return /https?:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0];
    });
  }
});
