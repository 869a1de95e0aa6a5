import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, test, vi } from 'vitest';
import { everyKind, longOne, reviewAndApprove } from '../testing/flowcharts';
import { Flowchart, curve } from './flowchart';

function Held({ open, leave }: { open: (key: string) => void; leave: () => void }) {
  const [chosen, choose] = useState<string | null>(null);
  return <Flowchart chart={everyKind} label="Steps" chosen={chosen} choose={choose} open={open} leave={leave} lit={new Set(['/do/0/collect', '/do/1/how-many'])} current="/do/1/how-many" />;
}

test('readers hear the numbered steps, where each leads, and where the run is', async () => {
  render(<Held open={() => undefined} leave={() => undefined} />);
  const steps = await screen.findAllByRole('option');
  expect(steps).toHaveLength(everyKind.nodes.length);
  expect(steps[3]?.textContent).toBe('1 Set briefs, sets data, run. Then 2 How many briefs?');
  expect(steps[4]?.textContent).toContain('the run is here. Then many: 3.1 Run review-brief; none: 6 No briefs');
  expect(steps[6]?.textContent).toContain('in each: for each brief');
  expect(steps[6]?.textContent).toContain('for the next item 3.1 Run review-brief');
});

test('the arrows walk along the edges, Enter opens, Esc leaves', async () => {
  const open = vi.fn();
  const leave = vi.fn();
  const keys = userEvent.setup();
  render(<Held open={open} leave={leave} />);
  const list = await screen.findByRole('listbox', { name: 'Steps' });
  list.focus();
  const chosen = () => screen.getByRole('option', { selected: true }).textContent;
  await keys.keyboard('{ArrowDown}{ArrowDown}');
  expect(chosen()).toContain('1 Set briefs');
  await keys.keyboard('{ArrowDown}{ArrowDown}');
  expect(chosen()).toContain('3.1 Run review-brief');
  await keys.keyboard('{ArrowUp}{ArrowUp}');
  expect(chosen()).toContain('1 Set briefs');
  await keys.keyboard('{End}{ArrowUp}');
  expect(chosen()).toContain('5 Emit');
  await keys.keyboard('{Enter}');
  expect(open).toHaveBeenCalledWith('/do/4/announce');
  await keys.keyboard('{Escape}');
  expect(leave).toHaveBeenCalled();
});

test('a large drawing waits until it is asked for', async () => {
  render(<Flowchart chart={longOne(400)} label="Steps" chosen={null} choose={() => undefined} />);
  await userEvent.click(screen.getByRole('button', { name: 'Draw them' }));
  expect(await screen.findByRole('listbox', { name: 'Steps' }, { timeout: 10_000 })).toBeTruthy();
});

test('the last drawing stays, greyed, and nothing is drawn of nothing', async () => {
  const { rerender, container } = render(<Flowchart chart={reviewAndApprove} label="Steps" chosen={null} choose={() => undefined} stale />);
  await screen.findByRole('listbox');
  expect(container.querySelector('[data-stale]')).not.toBeNull();
  rerender(<Flowchart chart={{ nodes: [], groups: [], edges: [] }} label="Steps" chosen={null} choose={() => undefined} />);
  expect(screen.getByText('No steps yet')).toBeTruthy();
});

test('a line that turns aside has round corners, and one that goes down is smooth', () => {
  expect(curve([{ x: 0, y: 0 }, { x: 10, y: 20 }])).toBe('M0 0C0 10 10 10 10 20');
  expect(curve([{ x: 0, y: 0 }, { x: -20, y: 0 }, { x: -20, y: -40 }])).toMatch(/Q-20 0/);
  expect(curve([])).toBe('');
});
