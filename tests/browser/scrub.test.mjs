// Scrubbing: the view at each of the events it folded, with what each changed and the ways to one of them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PLAYBOOK, importEvents, onPage, spend, until } from './studio.mjs';

const HASH = '#/view/campaign-spend?show=scrub';
const slack = Number(process.env.TEST_SLACK ?? 4);

const slider = (page) => page.getByRole('slider', { name: 'Event' });
const after = (page) => page.getByRole('tree', { name: /View of campaign-spend (?:after|before)/ });
const stands = (page, at) => until(`event ${at}`, async () => (await slider(page).getAttribute('aria-valuetext')).startsWith(at === 0 ? 'Before any event' : `Event ${at} of`) && (await page.locator('[aria-busy="false"]').count()) > 0);

/** Payments of seven campaigns, a minute apart. */
const payments = (count) => Array.from({ length: count }, (_, n) => ({ ...spend(`p${n + 1}`, n + 1).event, time: new Date(Date.UTC(2026, 9, 1) + n * 60_000).toISOString() }));

for (const dark of [false, true]) {
  test(`each event of a view can be gone back to by keyboard, ${dark ? 'dark' : 'light'}`, () => onPage(`scrub-${dark ? 'dark' : 'light'}`, {
    hash: HASH, dark, home: (home) => importEvents(home, payments(300)),
  }, async ({ page, accessible, picture }) => {
    await slider(page).focus();
    await stands(page, 300);
    await page.keyboard.press('Home');
    await page.getByRole('heading', { name: 'The view before any event' }).waitFor();
    await page.keyboard.press('ArrowRight');
    await stands(page, 1);
    await after(page).locator('[data-mark="added"]').getByText('campaign-1').waitFor();
    await page.getByText('1 added', { exact: true }).waitFor();
    await page.getByRole('tree', { name: 'The event', exact: true }).getByText('"p1"').waitFor();
    await page.keyboard.press('PageUp');
    await stands(page, 4);
    await accessible('the scrubber');

    // The address holds the place: a reload leads there again.
    await until('the place in the address', () => page.evaluate(() => location.hash.includes('at=4')));
    await page.reload();
    await stands(page, 4);

    // What added a campaign, then back to where the jump began.
    await slider(page).focus();
    await page.keyboard.press('End');
    await stands(page, 300);
    await page.getByRole('button', { name: 'Added a member…' }).click();
    await page.getByLabel('The event that added the member').fill('campaign-3');
    await page.keyboard.press('Enter');
    await stands(page, 3);
    await page.getByText('Event 3 added campaign-3.').waitFor();
    await page.keyboard.press('Alt+ArrowLeft');
    await stands(page, 300);

    await page.getByRole('button', { name: 'By its id…' }).click();
    await page.getByLabel('The event of the id').fill('p42');
    await page.keyboard.press('Enter');
    await stands(page, 42);
    await page.getByRole('button', { name: 'By its id…' }).click();
    await page.getByLabel('The event of the id').fill('nobody');
    await page.keyboard.press('Enter');
    await page.getByText('No event of this id was folded.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Grew it most' }).click();
    await page.getByText(/Event [\d,]+: it made the view larger by/).waitFor();
    await page.getByRole('textbox', { name: 'Event' }).fill('150');
    await page.keyboard.press('Enter');
    await stands(page, 150);
    await picture(`scrub-${dark ? 'dark' : 'light'}`);
  }));
}

test('new events can be gone to as they come, and nothing folded has nothing to go through', () => onPage('scrub-live', { hash: HASH }, async ({ page, server }) => {
  await page.getByText('No event matched yet.').waitFor();
  assert.equal(await page.getByRole('tab', { name: 'Scrub' }).count(), 0);
  await server.ask('POST', `${PLAYBOOK}/events`, spend('p1', 700));
  await page.getByRole('tab', { name: 'Scrub' }).waitFor();
  await stands(page, 1);
  await server.ask('POST', `${PLAYBOOK}/events`, spend('p2', 1400));
  await until('the second event', async () => (await slider(page).getAttribute('max')) === '2');
}));

test('at 1024 by 640 and at 200 % the scrubber is not cut off sideways', () => onPage('scrub-small', { hash: HASH, width: 512, height: 320, home: (home) => importEvents(home, payments(20)) }, async ({ page }) => {
  await slider(page).waitFor();
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(wide <= 0, `${wide} px too wide`);
}));

/** Drags over the whole slider, a place a frame; the frames' times, and how many events were asked for on the way. */
const drag = (page, places) => slider(page).evaluate(async (input, all) => {
  const times = [];
  const before = performance.getEntriesByType('resource').length;
  let last = await new Promise((done) => { requestAnimationFrame(done); });
  for (const place of all) {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(input, place);
    input.dispatchEvent(new Event('input', { bubbles: true }));
    const now = await new Promise((done) => { requestAnimationFrame(done); });
    times.push(now - last);
    last = now;
  }
  const asked = performance.getEntriesByType('resource').slice(before).filter((one) => /scrub\/\d+$/.test(one.name)).length;
  times.sort((one, other) => one - other);
  return { asked, p50: times[Math.floor(times.length * 0.5)], p95: times[Math.floor(times.length * 0.95)], longest: times.at(-1) };
}, places);

/** How long it takes until an event is on the screen. */
const reach = async (page, places) => {
  const times = [];
  for (const at of places) {
    times.push(await slider(page).evaluate(async (input, to) => {
      const begun = performance.now();
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(input, to);
      input.dispatchEvent(new Event('input', { bubbles: true }));
      while (![...document.querySelectorAll('[aria-label="The event"] [role=treeitem]')].some((row) => row.textContent === `id"p${to}"`)) await new Promise((done) => { requestAnimationFrame(done); });
      return performance.now() - begun;
    }, at));
  }
  return times.toSorted((one, other) => one - other);
};

const inWords = (dragged, reached) => `dragging: frames p50 ${dragged.p50.toFixed(0)} ms, p95 ${dragged.p95.toFixed(0)} ms, longest ${dragged.longest.toFixed(0)} ms, ${dragged.asked} events asked for on the way; to any event ${reached[Math.floor(reached.length / 2)].toFixed(0)} ms, at most ${reached.at(-1).toFixed(0)} ms`;
const whole = (page, all) => until('the whole history', async () => (await page.getByText(`of ${all}`).count()) > 0 && (await slider(page).count()) > 0 && (await page.getByRole('meter', { name: 'Ready to go through' }).count()) === 0, 120_000);

test('over a long history the thumb follows at once, and any event is there in time', (t) => onPage('scrub-budget', {
  hash: HASH, home: (home) => importEvents(home, payments(5000)),
}, async ({ page }) => {
  await whole(page, '5,000');
  await stands(page, '5,000');
  const dragged = await drag(page, Array.from({ length: 120 }, (_, turn) => 4900 - turn * 40));
  await stands(page, 140);
  const reached = await reach(page, [4321, 77, 2500, 4999, 1, 3333, 1234, 4000, 512, 2049]);
  t.diagnostic(inWords(dragged, reached));
  assert.ok(dragged.p95 < 33 * slack, `frames of ${dragged.p95} ms`);
  assert.ok(dragged.asked < 120, 'an event was asked for at each place of the slider');
  assert.ok(reached.at(-1) < 500 * slack, `an event took ${reached.at(-1)} ms`);
}));

/** Keeps about 10 KiB of each event, the last of them. */
const LARGE = `---
description: Keeps much of each event
language: typescript
source:
  events:
    - type: com.example.campaign.spend
view:
  initial: {}
---
export function fold(view: View, event: Event): View {
  const kept = Object.entries(typeof view === 'object' && view !== null && !Array.isArray(view) ? view : {}).slice(-43);
  const rows = Array.from({ length: 120 }, (_, row) => ({ at: event.time ?? '', row, text: 'what was kept of it '.repeat(2) }));
  return Object.fromEntries([...kept, [event.id, rows]]);
}
`;

test('a view nearly as large as it may be is scrubbed without a freeze', (t) => onPage('scrub-large', {
  hash: '#/view/large-view?show=scrub',
  home: (home) => {
    home.write('recall/large-view.md', LARGE);
    importEvents(home, payments(400));
  },
}, async ({ page }) => {
  await whole(page, '400');
  await until('a view of some size', async () => Number(await page.getByRole('meter', { name: 'Size of the view' }).getAttribute('aria-valuenow')) > 400_000);
  const dragged = await drag(page, Array.from({ length: 120 }, (_, turn) => 390 - turn * 3));
  const reached = await reach(page, [399, 60, 200, 333, 100, 250]);
  t.diagnostic(inWords(dragged, reached));
  // Reading and drawing half a megabyte twice over takes a moment; it must stay one.
  assert.ok(dragged.p95 < 100 * slack, `frames of ${dragged.p95} ms`);
  assert.ok(reached.at(-1) < 500 * slack, `an event took ${reached.at(-1)} ms`);
}));

test('a filter that took nothing says what came nearest', () => onPage('nearest', {
  hash: '#/view/campaign-reviews',
  home: (home) => home.write('recall/campaign-reviews.md', home.read('recall/campaign-reviews.md').replace('subject: computation/review-brief', 'subject: computation/review-breif')),
}, async ({ page, server, accessible, picture }) => {
  for (const campaign of ['one', 'two']) await server.ask('POST', `${PLAYBOOK}/definitions/computation/review-brief/run`, { input: { campaign } });
  await page.getByText('Nearest miss').waitFor();
  await page.getByText(/2 run_succeeded events of computation\/review-brief were recorded, none of computation\/review-breif/).waitFor();
  await accessible('an empty view');
  await picture('nearest');
  await page.getByRole('tab', { name: 'Filters' }).click();
  await page.getByText('It took no event.').waitFor();
}));
