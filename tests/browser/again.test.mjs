// A recorded run taken up again, by keyboard: forked from a step, replayed, kept as a test.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PLAYBOOK, onPage, until } from './studio.mjs';

const RUN = '0f8fad5b-d9cb-469f-a165-70867728950e';
const KEPT = 'tests/workflow/approve-campaign/approved-at-once.yaml';

/** A run that its owner approved. */
async function approved({ server, home }) {
  const input = JSON.parse(home.read('inputs/workflow/approve-campaign/spring-sale.json'));
  await server.ask('POST', `${PLAYBOOK}/definitions/workflow/approve-campaign/run`, { input, run_id: RUN });
  const request = await until('the request', async () => (await server.ask('GET', `${PLAYBOOK}/interactions`)).interactions[0]);
  await server.ask('POST', `${PLAYBOOK}/runs/${request.run_id}/answer`, { answer: { verdict: 'approve' } });
  await until('the run’s end', async () => (await server.ask('GET', `${PLAYBOOK}/runs/${RUN}`)).status === 'succeeded');
}

/** How much the playbook recorded, and how many runs it has. */
async function recorded(server) {
  const { events } = await server.ask('GET', `${PLAYBOOK}/events?limit=1`);
  const { runs } = await server.ask('GET', `${PLAYBOOK}/runs?limit=100`);
  return [events[0].metadata.global_position, runs.length];
}

for (const look of ['light', 'dark']) {
  test(`a run is forked from a step, replayed and kept, by keyboard, ${look}`, () => onPage(`again-${look}`, { dark: look === 'dark' }, async ({ page, go, server, home, accessible, picture }) => {
    await approved({ server, home });
    const before = await recorded(server);
    await go(`#/run/${RUN}?at=3`);
    await page.getByRole('heading', { name: /approve-campaign succeeded/ }).waitFor();
    const button = (name) => page.getByRole('button', { name, exact: true });
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '');

    // From the command list, as everything can be reached.
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Command' }).waitFor();
    await page.keyboard.type('Fork from input 3');
    await page.keyboard.press('Enter');
    const calls = page.getByRole('form', { name: 'Where the answers come from' });
    await calls.waitFor();
    await page.getByText('The fork goes as the recorded run did. It ends as recorded.').waitFor();
    await accessible('a fork');
    await picture(`again-fork-${look}`);

    // The answer of the person, written otherwise.
    const source = calls.getByRole('combobox', { name: 'Where the answer of ask-the-owner comes from' });
    await source.focus();
    await page.keyboard.type('Written');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('{"verdict": ');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await calls.getByText(/the text ends too early/).waitFor();
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('End');
    await page.keyboard.type('"revise"}');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText(/The first difference is at input 3 at ask-the-owner \(line \d+\)/).waitFor();
    await page.getByText(/It ends otherwise than recorded/).waitFor();
    await page.getByText(/^What the fork did/).focus();
    await page.keyboard.press('Enter');
    await page.getByText('An output came for ask-the-owner').last().waitFor();
    await accessible('a fork that went another way');
    await picture(`again-fork-other-${look}`);

    // Escape closes it, and the keyboard is back where it was.
    await page.keyboard.press('Escape');
    await calls.waitFor({ state: 'detached' });
    assert.match(await focused(), /Fork from here/);
    assert.deepEqual(await recorded(server), before, 'a fork records nothing');

    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('The same to the end on version 1, which it ran: 3 inputs.').waitFor();
    await accessible('a run that replays the same');
    // What is saved meanwhile is what it is compared with.
    const text = home.read('workflow/approve-campaign.yaml');
    await server.ask('PUT', `${PLAYBOOK}/definitions/workflow/approve-campaign`, { source: text.replace('owner: ${ $workflow.input.owner }', 'owner: someone-else') });
    await button('Compare with what is saved now').focus();
    await page.keyboard.press('Enter');
    await page.getByText(/The first difference is at input 2 at ask-the-owner \(line \d+\)/).waitFor();
    await page.getByText('someone-else').first().waitFor();
    await accessible('a run that replays otherwise');
    await picture(`again-replay-${look}`);

    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const name = page.getByRole('textbox', { name: 'Name of the case' });
    await name.waitFor();
    await page.keyboard.type('Approved');
    await page.getByText(/lowercase letters, digits and hyphens/).waitFor();
    await picture(`again-keep-${look}`);
    await page.keyboard.press('Control+a');
    await page.keyboard.type('approved-at-once');
    await page.keyboard.press('Enter');
    await page.getByText(KEPT).waitFor();
    await accessible('a run that was kept');
    assert.match(home.read(KEPT), /answer: ask-the-owner\n/);
    await picture(`again-kept-${look}`);

    // A name that is there already is refused, in words.
    await button('Keep as a test').focus();
    await page.keyboard.press('Enter');
    await name.waitFor();
    await page.keyboard.type('approved-at-once');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText(/choose another name/).waitFor();
  }));
}
