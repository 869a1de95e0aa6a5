import { fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import type { DocumentRow } from '../api/types';
import { FakeTransport, show } from '../testing/fake';
import { useCommands } from './commands';
import Palette from './palette';

const row = (type: string, name: string): DocumentRow => ({ type, name, path: `${type}/${name}.md`, state: 'saved', version: 1, problems: 0, warnings: 0, description: null, standing: null });

function Commands({ run, why }: { run: () => void; why?: string }) {
  useCommands([{ id: 'run', title: 'Run score', group: 'Document', keys: 'Mod+Enter', why, run }]);
  return null;
}

const open = (kind: 'commands' | 'places', run = vi.fn(), why?: string) => {
  const close = vi.fn();
  show(new FakeTransport(), <><Commands run={run} {...(why ? { why } : {})} /><Palette kind={kind} close={close} /></>, { documents: [row('recall', 'campaign-spend'), row('computation', 'score')] });
  return { run, close, field: screen.getByRole('combobox') };
};

test('what is typed comes first, and Enter goes there', async () => {
  const { run, field } = open('places');
  fireEvent.change(field, { target: { value: 'campaign-spend' } });
  expect(screen.getAllByRole('option')[0]?.textContent).toContain('campaign-spend');
  fireEvent.keyDown(field, { key: 'Enter' });
  await waitFor(() => expect(location.hash).toBe('#/document/recall/campaign-spend'));
  expect(run).not.toHaveBeenCalled();
});

test('a run’s id leads to the run', async () => {
  const { field } = open('places');
  fireEvent.change(field, { target: { value: '0199a3c4-7d2e-7c1a-9b3f-2f1e0d9c8b71' } });
  fireEvent.keyDown(field, { key: 'Enter' });
  await waitFor(() => expect(location.hash).toBe('#/run/0199a3c4-7d2e-7c1a-9b3f-2f1e0d9c8b71'));
});

test('a command that cannot apply stays, with the reason, and does nothing', () => {
  const { run, close, field } = open('commands', vi.fn(), 'It is retired.');
  fireEvent.change(field, { target: { value: 'run score' } });
  const option = screen.getAllByRole('option')[0];
  expect(option?.getAttribute('aria-disabled')).toBe('true');
  expect(option?.textContent).toContain('It is retired.');
  fireEvent.keyDown(field, { key: 'Enter' });
  expect(run).not.toHaveBeenCalled();
  expect(close).not.toHaveBeenCalled();
});
