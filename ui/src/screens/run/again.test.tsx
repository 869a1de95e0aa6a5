import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import type { Forked, Replayed } from '../../api/workflow';
import { FakeTransport, show } from '../../testing/fake';
import { Again } from './again';

const ASK = '/do/1/ask';
const forked = (given: Partial<Forked> = {}): Forked => ({
  at: 3, sentence: 'The fork goes as the recorded run did.', same: true, difference: null, rows: [], emitted: [], more_calls: 0, more_emitted: 0, ending: { status: 'succeeded', output: { verdict: 'approve' } },
  calls: [
    { reference: '/do/0/review', name: 'review', run: 1, type: 'computation', definition: 'review-brief', input: {}, source: 'recorded', answer: { status: 'succeeded', output: { ready: true } }, why: null },
    { reference: ASK, name: 'ask', run: 1, type: 'interaction', definition: 'ask-owner', input: {}, source: 'none', answer: null, why: 'The recorded run made no such call' },
  ], ...given,
});
const replayed: Replayed = {
  recorded_version: 1, version: 2, inputs: 3, same: false, same_ending: null, drifted: null,
  sentence: 'The first difference is at input 2 at ask (line 12). Recorded: a; now: b.',
  difference: { position: 2, what: 'call_input', recorded: 'a', now: 'b', before: { owner: 'anna' }, after: { owner: 'ben' }, sentence: '' },
};

function opened(): { transport: FakeTransport; keys: ReturnType<typeof userEvent.setup> } {
  const transport = new FakeTransport();
  transport.on('POST /studio/api/runs/r1/replay', replayed).on('POST /studio/api/runs/r1/fork', forked()).on('POST /studio/api/runs/r1/keep', { path: 'tests/workflow/a/b.yaml', inputs: 3 });
  show(transport, <Again id="r1" position={3} inputs={3} />);
  return { transport, keys: userEvent.setup() };
}

test('a run is compared with what is saved now, and the values that differ are shown', async () => {
  const { keys } = opened();
  await keys.click(screen.getByRole('button', { name: 'Compare with what is saved now' }));
  expect(await screen.findByText(/at ask \(line 12\)/)).toBeTruthy();
  expect(screen.getByText('It differs')).toBeTruthy();
  expect(screen.getByText(/ben/)).toBeTruthy();
  await keys.click(screen.getByRole('button', { name: 'Close the result' }));
  expect(screen.queryByText('It differs')).toBeNull();
});

test('a fork tells where each answer came from, and takes one that is written', async () => {
  const { transport, keys } = opened();
  await keys.click(screen.getByRole('button', { name: 'Fork from here' }));
  const calls = await screen.findByRole('form', { name: 'Where the answers come from' });
  expect(within(calls).getByText('The recorded run made no such call')).toBeTruthy();
  expect(within(calls).getByText('No answer')).toBeTruthy();
  // A person is not asked by a fork.
  const source = within(calls).getByRole('combobox', { name: 'Where the answer of ask comes from' });
  expect((within(source).getByRole('option', { name: /Live/ }) as HTMLOptionElement).disabled).toBe(true);
  await keys.selectOptions(source, 'written');
  const again = within(calls).getByRole('button', { name: 'Fork again with these answers' });
  const text = within(calls).getByRole('textbox', { name: 'Output of ask' });
  await keys.type(text, '{{"verdict": ');
  expect(again.getAttribute('aria-disabled')).toBe('true');
  await keys.type(text, '"revise"}');
  await keys.click(again);
  expect(transport.sent('POST /studio/api/runs/r1/fork').map((call) => call.body)).toEqual([
    { at: 3, calls: [] },
    { at: 3, calls: [{ task: ASK, run: 1, source: 'written', output: { verdict: 'revise' } }] },
  ]);
});

test('a run is kept under a name, and a refusal is said', async () => {
  const { transport, keys } = opened();
  await keys.click(screen.getByRole('button', { name: 'Keep as a test' }));
  const name = screen.getByRole('textbox', { name: 'Name of the case' });
  await keys.type(name, 'No{Enter}');
  expect(transport.sent('POST /studio/api/runs/r1/keep')).toEqual([]);
  await keys.clear(name);
  await keys.type(name, 'b{Enter}');
  expect(await screen.findByText('tests/workflow/a/b.yaml')).toBeTruthy();
  transport.on('POST /studio/api/runs/r1/replay', () => { throw new Error('It cannot be read'); });
  await keys.click(screen.getByRole('button', { name: 'Compare with what is saved now' }));
  expect((await screen.findByRole('alert')).textContent).toContain('It cannot be read');
});
