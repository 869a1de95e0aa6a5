import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import type { TriggerRow } from '../../api/workflow';
import { FakeTransport, show } from '../../testing/fake';
import Triggers from './triggers';

const WHY = 'The filter at /schedule/on/one was stopped 3 times in a row by its time or its memory, and is not evaluated again for version 2.';

const row = (given: Partial<TriggerRow>): TriggerRow => ({
  workflow: 'costly', version: 2, kind: 'event', reference: '/schedule/on', sentence: 'For each event of the type **a**',
  since: '2026-11-30T10:00:00.000Z', next: [], filters: [{ type: 'a', sentence: 'an event of the type **a**' }], ...given,
});

test('a filter that was stopped for good is shown with why', async () => {
  history.replaceState(null, '', '#/triggers');
  const transport = new FakeTransport().on('GET /studio/api/triggers', [
    row({ stopped: [{ reference: '/schedule/on/one', why: WHY }] }),
    row({ workflow: 'cheap' }),
  ]);
  show(transport, <Triggers />);
  const grid = await screen.findByRole('grid', { name: 'Triggers' });
  const rows = () => within(grid).getAllByRole('row').map((one) => one.textContent ?? '');
  expect(rows().some((text) => /costly.*filter stopped/.test(text))).toBe(true);
  expect(rows().some((text) => /cheap.*watching/.test(text))).toBe(true);
  expect(screen.queryByText(WHY, { exact: false })).toBeNull();
  await userEvent.setup().click(within(grid).getAllByText('costly')[0]!);
  const notes = await screen.findAllByRole('note');
  expect(notes.some((note) => note.textContent === `A filter was stopped. ${WHY} The remedy is a new version with a cheaper filter.`)).toBe(true);
});
