import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import type { InputDetail, WorkflowRun } from '../../api/workflow';
import { listen } from '../../app/commands';
import { FakeTransport, show } from '../../testing/fake';
import { everyKind } from '../../testing/flowcharts';
import WorkflowRunScreen from './workflow';

const AT = '2026-11-30T10:00:00.000Z';
const REVIEW = '/do/2/each/do/0/review';

const run: WorkflowRun = {
  run: { run_id: 'r1', type: 'workflow', name: 'every-kind', definition_version: 2, status: 'started', started_at: AT, started_by: 'local' },
  newest_version: 3, inputs: 20_000, waits: [{ reference: REVIEW, name: 'review', for: 'call', until: '2026-11-30T12:00:00.000Z', child: 'c9' }],
  children: [{ run_id: 'c9', type: 'interaction', name: 'ask-owner', status: 'started', reference: REVIEW, run: 1, started_at: AT }],
  flowchart: everyKind, source: null, input: { briefs: [1, 2] },
};

const detail = (position: number): InputDetail => ({
  position, at: AT, kind: 'timer_fired', input: {}, lit: ['/do/0/collect', REVIEW],
  stops: [
    { reference: '/do/0/collect', name: 'collect', run: 1, outcome: 'completed', data: { total: Math.floor(position / 10) }, context: {}, expressions: [] },
    { reference: REVIEW, name: 'review', run: position, outcome: 'waiting', data: { total: Math.floor(position / 10) }, item: { item: 'a', index: 0 }, expressions: [{ pointer: `${REVIEW}/with/input/brief`, text: '$item', value: 'a', work: 0 }] },
  ],
});

function opened(): FakeTransport {
  const transport = new FakeTransport();
  transport.on('GET /studio/api/runs/r1', run);
  for (let at = 1; at <= 40; at += 1) transport.on(`GET /studio/api/runs/r1/inputs/${at}`, detail(at));
  transport.on('GET /studio/api/runs/r1/inputs/20000', detail(20_000)).on('GET /studio/api/runs/r1/inputs/19999', detail(19_999));
  transport.on('GET /studio/api/runs/r1/inputs', (call: { path: string }) => {
    const from = Number(/from=(\d+)/.exec(call.path)?.[1]);
    return { total: 20_000, rows: Array.from({ length: Math.min(200, 20_001 - from) }, (_, at) => ({ position: from + at, at: AT, kind: 'timer_fired', summary: `Input ${from + at}`, steps: [{ reference: REVIEW, name: 'review', run: 1, outcome: 'waiting', times: 1 }], bytes: 300 })) };
  });
  transport.on('POST /studio/api/runs/r1/inputs/20000/evaluate', (call: { body: unknown }) => ((call.body as { text: string }).text === '$nope' ? { error: '$nope is not defined' } : { value: 42 }));
  show(transport, <WorkflowRunScreen id="r1" />);
  return transport;
}

test('it says what it waits for, which version it is of, and where it stands', async () => {
  opened();
  await screen.findByRole('heading', { name: /goes on: review waits for the run it called, until .* at the latest/ });
  expect(screen.getByText(/version 2 \(newest is 3\)/)).toBeTruthy();
  const steps = await screen.findByRole('grid', { name: 'Steps of the run' });
  await waitFor(() => expect(within(steps).getAllByRole('row').some((row) => /3\.1.*waits/.test(row.textContent ?? ''))).toBe(true));
  expect(within(steps).getAllByText('not reached').length).toBeGreaterThan(3);
});

test('the keys step through what is recorded, and each stop shows what changed', async () => {
  const stop = listen();
  history.replaceState(null, '', '#/run/r1');
  opened();
  const keys = userEvent.setup();
  await screen.findByText('Follows the run.');
  await keys.keyboard('{F5}');
  await screen.findByText(/Looking at/);
  expect(screen.getByText('step 1 of 2')).toBeTruthy();
  await keys.keyboard('{F7}');
  await screen.findByText('step 2 of 2');
  await keys.keyboard('{F7}');
  await waitFor(() => expect((screen.getByRole('textbox', { name: /Input/ }) as HTMLInputElement).value).toBe('2'));
  await keys.keyboard('{Control>}{F7}{/Control}');
  await waitFor(() => expect((screen.getByRole('textbox', { name: /Input/ }) as HTMLInputElement).value).toBe('10'));
  expect(await screen.findByText(/1 changed/)).toBeTruthy();
  await keys.keyboard('{Shift>}{F7}{/Shift}');
  await waitFor(() => expect((screen.getByRole('textbox', { name: /Input/ }) as HTMLInputElement).value).toBe('9'));
  await keys.keyboard('{Shift>}{F5}{/Shift}');
  await screen.findByText('Follows the run.');
  stop();
});

test('twenty thousand records are read where they are looked at', async () => {
  history.replaceState(null, '', '#/run/r1?show=records');
  dispatchEvent(new HashChangeEvent('hashchange'));
  const transport = opened();
  const grid = await screen.findByRole('grid', { name: 'Records of the run' });
  expect(grid.getAttribute('aria-rowcount')).toBe('20001');
  await within(grid).findByText('Input 19999');
  expect(within(grid).getAllByRole('row').length).toBeLessThan(120);
  expect(transport.sent('GET /studio/api/runs/r1/inputs').length).toBeLessThan(4);
});

test('a new expression is evaluated over the recorded values, and an error is said', async () => {
  history.replaceState(null, '', '#/run/r1');
  dispatchEvent(new HashChangeEvent('hashchange'));
  opened();
  const keys = userEvent.setup();
  await keys.click(await screen.findByRole('tab', { name: /Expressions/ }));
  expect(screen.getByText('$item')).toBeTruthy();
  await keys.type(screen.getByRole('textbox', { name: 'An expression over these values' }), '$data.total{Enter}');
  expect(await screen.findByText('42')).toBeTruthy();
  await keys.clear(screen.getByRole('textbox', { name: 'An expression over these values' }));
  await keys.type(screen.getByRole('textbox', { name: 'An expression over these values' }), '$nope{Enter}');
  expect(await screen.findByText('$nope is not defined')).toBeTruthy();
});
