// A run of 20,000 inputs in the Studio: how long from going to it until its rows are drawn, and how it scrolls.
//
// Prints one JSON object. Nothing here passes or fails; it is a figure of the machine it runs on.
// A `for` of `set` alone reaches 100 inputs, since a run does 10,000 tasks without waiting and 100 of them an input: each
// item therefore sets, and then waits for a millisecond. `LONG_RUN` says another number of items.

import { freshHome, launch, openPage, serveStudio, until, PLAYBOOK } from '../browser/studio.mjs';

const ITEMS = Number(process.env.LONG_RUN ?? 20_000);
/** So many of them call a function: the timeline has a lane for each. */
const CALLS = 500;
/** Steps of the document, each a row of the outline. */
const STEPS = 1_000;
const TURNS = Number(process.env.LONG_RUN_TURNS ?? 7);
/** A frame at 60 a second, with room for the clock's own grain. */
const FRAME = 1000 / 60;
const LATE = FRAME * 1.5;

const steps = Array.from({ length: STEPS }, (_, n) => `  - s${n + 1}: { set: { n: ${n + 1} } }\n`).join('');
const workflow = `document: { dsl: 1.0.3, namespace: bench, name: long, version: 1.0.0 }
do:
${steps}  - each:
      for: { in: 'Array.from({ length: ${ITEMS} }, (_, i) => i)' }
      do:
        - step: { set: { n: '\${ $item }', text: '\${ "item " + $item }' } }
        - ask: { if: '$item % ${Math.max(1, Math.floor(ITEMS / CALLS))} === 0', call: run_definition, with: { type: computation, name: one } }
        - nap: { wait: { milliseconds: 1 } }
`;
const one = `---
description: Gives one
language: typescript
---
export default function (input: Json): Json {
  return 1;
}
`;

const at = (times, share) => times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))];

/** In the page: sets the address, and waits until a row of the grid holds what it should. */
const open = ([hash, label, ready]) => new Promise((done) => {
  const begun = performance.now();
  location.hash = hash;
  const look = () => {
    const rows = document.querySelectorAll(`[role=grid][aria-label="${label}"] [role=row][aria-rowindex]:not([aria-busy])`);
    // The head is a row too. What was drawn in this frame is on the screen with the next.
    if (rows.length > 1 && location.hash.startsWith(hash.split('?')[0]) && new RegExp(ready).test(rows[1].textContent)) requestAnimationFrame(() => done(performance.now() - begun));
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
});

/** In the page: scrolls by `by` pixels a frame, there and back, and gives the frames' lengths and the most rows there were. */
const scroll = async ([label, by]) => {
  const grid = document.querySelector(`[role=grid][aria-label="${label}"]`);
  const box = grid.parentElement;
  const frame = () => new Promise((done) => { requestAnimationFrame(done); });
  const times = [];
  let most = 0;
  let blank = 0;
  let way = by;
  let last = await frame();
  for (let turn = 0; turn < 240; turn += 1) {
    if (box.scrollTop + way < 0 || box.scrollTop + way > box.scrollHeight - box.clientHeight) way = -way;
    box.scrollTop += way;
    const now = await frame();
    times.push(now - last);
    last = now;
    if (turn % 10 === 0) {
      most = Math.max(most, grid.querySelectorAll('[role=row]').length);
      blank = Math.max(blank, grid.querySelectorAll('[role=row][aria-busy]').length);
    }
  }
  return { times, most, blank, height: box.scrollHeight };
};

const figures = {};
const note = (words) => process.stderr.write(`${words}\n`);
const home = freshHome();
const server = await serveStudio(home);
const browser = await launch();
try {
  for (const [type, name, source] of [['computation', 'one', one], ['workflow', 'long', workflow]]) await server.ask('POST', `${PLAYBOOK}/definitions/${type}`, { name, source });
  const began = performance.now();
  const { run_id: id } = await server.ask('POST', `${PLAYBOOK}/definitions/workflow/long/run`, { input: {} });
  await until('the end of the run', async () => {
    const run = await server.ask('GET', `${PLAYBOOK}/runs/${id}`);
    if (run.status === 'rejected') throw new Error(JSON.stringify(run));
    return run.status === 'succeeded';
  }, 3_600_000);
  figures.made_s = (performance.now() - began) / 1000;
  for (const [name, path] of [['run_ms', ''], ['inputs_ms', '/inputs?from=1&limit=200'], ['last_input_ms', null]]) {
    const times = [];
    for (let turn = 0; turn < TURNS; turn += 1) {
      const begun = performance.now();
      const answer = await server.ask('GET', `/studio/api/runs/${id}${path ?? `/inputs/${figures.inputs}`}`);
      times.push(performance.now() - begun);
      figures.inputs ??= answer.inputs;
      if (path === '') figures.run_bytes = JSON.stringify(answer).length;
    }
    figures[`route_${name}`] = at(times, 0.5);
  }
  note(`the run is there after ${figures.made_s.toFixed(0)} s`);
  const { page, go, close } = await openPage(browser, server.address, { hash: '#/runs' });
  const runs = page.getByRole('grid', { name: 'Runs' });
  const views = [
    ['steps', 'Steps of the run', '', '.'],
    ['timeline', 'Timeline of the run', '?show=timeline', 'This run'],
    ['records', 'Records of the run', '?show=records', '.'],
  ];
  for (const [name, label, search, ready] of views) {
    note(label);
    const times = [];
    for (let turn = 0; turn < TURNS + 1; turn += 1) {
      await go('#/runs');
      await runs.getByText('succeeded').first().waitFor();
      times.push(await page.evaluate(open, [`#/run/${id}${search}`, label, ready]));
    }
    // The first reads the program's own chunk.
    figures[`${name}_first_open_ms`] = times.shift();
    figures[`${name}_open_ms`] = at(times, 0.5);
    figures[`${name}_open_most_ms`] = Math.max(...times);
    for (const [pace, by] of [['', 120], ['_fast', 2_000]]) {
      const { times: frames, most, blank, height } = await page.evaluate(scroll, [label, by]);
      figures[`${name}_scroll${pace}`] = { p50: at(frames, 0.5), p95: at(frames, 0.95), longest: Math.max(...frames), dropped: frames.filter((time) => time > LATE).length / frames.length, rows: most, blank, height };
    }
  }
  await close();
} finally {
  await browser.close();
  await server.stop();
  home.remove();
}
console.log(JSON.stringify(figures, null, 1));
