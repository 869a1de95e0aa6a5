// The app is killed as by a power cut while events are published and views fold.
// Every acknowledged event is there afterwards, and the view is what a rebuild from nothing gives.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freshHome, openApp, until } from './webdriver.mjs';

const PLAYBOOK = '/v1/orgs/local/playbooks/campaign-review';
const ROUNDS = 4;

/** One request of the page to the runtime, as the page itself would send it. */
const ASK = `
  const [method, path, body] = arguments;
  const request = new XMLHttpRequest();
  request.open(method, path, false);
  request.setRequestHeader('content-type', 'application/json');
  request.send(body === null ? null : JSON.stringify(body));
  return { status: request.status, body: JSON.parse(request.responseText || 'null') };
`;

const ask = (app, method, path, body = null) => app.run(ASK, method, path, body);

const spend = (id, cents) => ({
  event: {
    type: 'com.example.campaign.spend',
    source: '/finance/payments',
    id,
    data: { campaign: `campaign-${cents % 7}`, channel: 'Email', amount_cents: cents },
  },
});

/** The view once it has folded all there is. */
async function liveView(app, events, version = 1) {
  return until(`a view of ${events} events`, async () => {
    const { status, body } = await ask(app, 'GET', '/studio/api/views/campaign-spend');
    assert.equal(status, 200, JSON.stringify(body));
    return body.standing.state === 'live' && body.standing.version === version && body.standing.folded >= events ? body : undefined;
  });
}

const sum = (view) => Object.values(view).reduce((all, { spent_cents: cents }) => all + cents, 0);

async function publishedIds(app) {
  const ids = [];
  let cursor = '';
  do {
    const query = `type=event_published&order=asc&limit=100${cursor}`;
    const { status, body } = await ask(app, 'GET', `${PLAYBOOK}/events?${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    ids.push(...body.events.map((row) => row.data.event_id));
    cursor = body.next_cursor ? `&cursor=${encodeURIComponent(body.next_cursor)}` : '';
  } while (cursor !== '');
  return new Set(ids);
}

test('what was acknowledged survives a kill at any moment, and the view with it', async () => {
  const home = freshHome();
  const acknowledged = new Map();
  let next = 1;
  let app;
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      app = await openApp({ args: ['--sample'], home });
      await liveView(app, acknowledged.size);
      // A moment that nobody chose: between the first event and a second and a half later.
      const moment = setTimeout(() => app.kill(), 100 + Math.random() * 1_400);
      try {
        for (;;) {
          const id = `payment-${next}`;
          const cents = next;
          next += 1;
          const { status, body } = await ask(app, 'POST', `${PLAYBOOK}/events`, spend(id, cents));
          assert.equal(status, 200, JSON.stringify(body));
          acknowledged.set(id, cents);
        }
      } catch (error) {
        // The kill ends the request that was under way; a refusal is another matter.
        if (error instanceof assert.AssertionError) throw error;
      } finally {
        clearTimeout(moment);
        app.kill();
      }
    }
    assert.ok(acknowledged.size > 0, 'no round published an event before its kill');

    app = await openApp({ args: ['--sample'], home });
    const kept = await publishedIds(app);
    for (const id of acknowledged.keys()) assert.ok(kept.has(id), `${id} was acknowledged and is gone`);
    // At most the one event under way at each kill is there without its answer.
    assert.ok(kept.size - acknowledged.size <= ROUNDS, `${kept.size} kept, ${acknowledged.size} acknowledged`);

    const before = await liveView(app, kept.size);
    const expected = [...kept].reduce((all, id) => all + Number(id.slice('payment-'.length)), 0);
    assert.equal(sum(before.view), expected);
    // A new version of the same fold builds its view from the first event.
    const document = (await ask(app, 'GET', '/studio/api/documents/recall/campaign-spend')).body;
    const saved = await ask(app, 'PUT', '/studio/api/documents/recall/campaign-spend', { text: `${document.text}// The same fold.\n`, base: document.base });
    assert.equal(saved.status, 200, JSON.stringify(saved.body));
    const rebuilt = await liveView(app, kept.size, document.version + 1);
    assert.deepEqual(rebuilt.view, before.view);
    assert.equal(rebuilt.standing.folded, before.standing.folded);
  } finally {
    await app?.close();
    home.remove();
  }
});
