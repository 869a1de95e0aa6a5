// The repair bench and the scrubber in the real window, by keyboard alone.

import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { freshHome, keys, openApp, until } from './webdriver.mjs';

const PLAYBOOK = '/v1/orgs/local/playbooks/campaign-review';
const RECALL = 'Text of recall/campaign-spend';
const THIRTEEN = "  if (event.id === 'thirteen') throw new Error('thirteen');\n";
const PAGE_UP = '\uE00E';
const RIGHT = '\uE014';

/** One request of the page to the runtime, as the page itself would send it. */
const ASK = `
  const [method, path, body] = arguments;
  const request = new XMLHttpRequest();
  request.open(method, path, false);
  request.setRequestHeader('content-type', 'application/json');
  request.send(body === null ? null : JSON.stringify(body));
  return { status: request.status, body: JSON.parse(request.responseText || 'null') };
`;

const spend = (id, cents) => ({ event: { type: 'com.example.campaign.spend', source: '/finance/payments', id, data: { campaign: `campaign-${cents % 7}`, channel: 'Email', amount_cents: cents } } });

describe('a view is gone through and mended without a mouse', { concurrency: false }, () => {
  const home = freshHome();
  let app;
  let folder;
  before(async () => {
    app = await openApp({ args: ['--sample'], home });
    await app.find('treeitem', /^campaign-spend/);
    folder = join(home.env.XDG_DATA_HOME, 'playbook-studio', 'sample-playbook');
  });
  after(async () => {
    await app?.close();
    home.remove();
  });

  const focused = (label) => app.run('const now = document.activeElement; return now?.getAttribute("aria-label") === arguments[0] || now?.textContent?.trim() === arguments[0]', label);
  /** Tab until something has the focus. */
  const tabTo = async (label, ...held) => {
    for (let turn = 0; turn < 60; turn += 1) {
      if (await focused(label)) return;
      await app.keys(keys.tab, ...held);
    }
    throw new Error(`Tab never led to ${label}`);
  };
  const at = (words) => until(`the slider at “${words}”`, () => app.run('return document.querySelector("input[type=range]")?.getAttribute("aria-valuetext")?.startsWith(arguments[0]) && document.querySelector("[aria-busy=false]") !== null', words));
  /** A command by the palette. */
  const command = async (words) => {
    await app.keys('k', keys.control);
    await app.find('dialog');
    await app.keys(words);
    await app.keys(keys.enter);
  };

  test('the scrubber walks the events with the arrow keys', async () => {
    for (let turn = 1; turn <= 12; turn += 1) assert.equal((await app.run(ASK, 'POST', `${PLAYBOOK}/events`, spend(`p${turn}`, turn))).status, 200);
    await app.run('location.hash = "#/view/campaign-spend?show=scrub"');
    await app.find('slider', 'Event');
    await until('twelve events', () => app.run('return document.querySelector("input[type=range]")?.max === "12"'));
    await tabTo('Event');
    await app.keys(keys.end);
    await at('Event 12 of 12');
    await app.keys(keys.home);
    await at('Before any event');
    await app.keys(RIGHT);
    await at('Event 1 of 12');
    await app.keys(PAGE_UP);
    await at('Event 2 of 12');
    await app.sees(/1 added/);
    await app.keys(keys.end);
    await at('Event 12 of 12');
    await app.picture('scrub');
    // The next keys are jumps: back over the number, from the end.
    await tabTo('Grew it most', keys.shift);
    await app.keys(keys.enter);
    await app.sees(/Event [\d,]+: it made the view larger by/);
  });

  test('the bench tries the mended text on all events, keeps the event as a case, and saves', async () => {
    const file = join(folder, 'recall', 'campaign-spend.md');
    const good = readFileSync(file, 'utf8');
    writeFileSync(file, good.replace('  const data = event.data;', `${THIRTEEN}  const data = event.data;`));
    await app.run('location.hash = "#/document/recall/campaign-spend"');
    await until('the text from outside', async () => (await app.editorText(RECALL))?.includes('thirteen'));
    await app.sees('Every rule of the format holds for the text on screen.');
    await app.keys('s', keys.control);
    await app.sees('version 2');
    assert.equal((await app.run(ASK, 'POST', `${PLAYBOOK}/events`, spend('thirteen', 13))).status, 200);
    await app.find('button', /1 view stalled/);
    await app.run('location.hash = "#/view/campaign-spend?show=bench"');
    await app.sees('Still stalls');
    await command('Keep the stalled event as a case');
    await until('the name to be typed', () => app.run('return document.activeElement?.value === "spend-raised"'));
    await app.keys(keys.enter);
    await app.sees('Written to tests/recall/campaign-spend/spend-raised.yaml');
    assert.ok(existsSync(join(folder, 'tests', 'recall', 'campaign-spend', 'spend-raised.yaml')));
    await app.replaceEditorText(RECALL, good);
    await app.sees('Folds this event');
    await app.sees('All 13 events fold');
    await app.picture('widen');
    await app.keys('s', keys.control);
    await app.sees(/Live again with version 3/);
    await app.sees(/Against version 2, as it stood when it was replaced/);
    await app.picture('mended');
  });
});
