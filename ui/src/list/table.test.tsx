import { act, fireEvent, render, screen } from '@testing-library/react';
import { describe, expect, test, vi } from 'vitest';
import { Table, type Column } from './table';
import { ROW, orderOf, rangeOf } from './window';

const rows = Array.from({ length: 10_000 }, (_, index) => `row ${index}`);
const COLUMNS: readonly Column<string>[] = [{ id: 'name', title: 'Name', width: '1fr', cell: (row) => row }];

const shown = () => screen.getAllByRole('row').slice(1).map((row) => Number(row.getAttribute('aria-rowindex')) - 2);

describe('the windowed table', () => {
  test('holds ten thousand rows and has only those in sight in the page', () => {
    const open = vi.fn();
    render(<Table label="Runs" rows={rows} columns={COLUMNS} keyOf={(row) => row} open={open} total={rows.length} />);
    const table = screen.getByRole('grid', { name: 'Runs' });
    expect(table.getAttribute('aria-rowcount')).toBe('10001');
    expect(screen.getAllByRole('row').length).toBeLessThan(60);
    expect(screen.getByText('row 0')).toBeTruthy();
    expect(screen.queryByText('row 5000')).toBeNull();
  });

  test('the keys reach the last row, and Enter opens the row they stand on', () => {
    const open = vi.fn();
    render(<Table label="Runs" rows={rows} columns={COLUMNS} keyOf={(row) => row} open={open} total={rows.length} />);
    const table = screen.getByRole('grid');
    act(() => table.focus());
    fireEvent.keyDown(table, { key: 'End' });
    const last = screen.getByText('row 9999').closest('[role=row]');
    expect(last?.getAttribute('aria-rowindex')).toBe('10001');
    expect(table.getAttribute('aria-activedescendant')).toBe(last?.id);
    expect(screen.queryByText('row 0')).toBeNull();
    fireEvent.keyDown(table, { key: 'ArrowUp' });
    fireEvent.keyDown(table, { key: 'Enter' });
    expect(open).toHaveBeenCalledWith('row 9998');
    fireEvent.keyDown(table, { key: 'Home' });
    expect(screen.getByText('row 0')).toBeTruthy();
  });

  test('the row that is stood on stays the same when rows come in above', () => {
    const open = vi.fn();
    const { rerender } = render(<Table label="Runs" rows={rows.slice(10)} columns={COLUMNS} keyOf={(row) => row} open={open} />);
    const table = screen.getByRole('grid');
    fireEvent.keyDown(table, { key: 'ArrowDown' });
    rerender(<Table label="Runs" rows={rows} columns={COLUMNS} keyOf={(row) => row} open={open} />);
    fireEvent.keyDown(table, { key: 'Enter' });
    expect(open).toHaveBeenCalledWith('row 11');
  });

  test('no element is moved while it scrolls, and once it rests they stand in the order of the rows', () => {
    vi.useFakeTimers();
    render(<Table label="Runs" rows={rows} columns={COLUMNS} keyOf={(row) => row} open={() => undefined} total={rows.length} />);
    const table = screen.getByRole('grid');
    fireEvent.keyDown(table, { key: 'End' });
    act(() => void vi.advanceTimersByTime(1_000));
    const box = table.parentElement as HTMLElement;
    const up = () => {
      box.scrollTop -= 5 * ROW.dense;
      fireEvent.scroll(box);
      act(() => void vi.advanceTimersByTime(20));
    };
    for (let turn = 0; turn < 20; turn += 1) up();
    const before = screen.getAllByRole('row');
    const moved = new MutationObserver(() => undefined);
    moved.observe(table, { childList: true, subtree: true });
    for (let turn = 0; turn < 5; turn += 1) up();
    expect(moved.takeRecords().filter((record) => [...record.addedNodes].some((node) => before.includes(node as HTMLElement)))).toEqual([]);
    act(() => void vi.advanceTimersByTime(1_000));
    expect(shown()).toEqual(shown().toSorted((one, other) => one - other));
    expect(shown().at(-1)).toBeLessThan(9_900);
  });

  test('what is new waits behind its count', () => {
    const showNews = vi.fn();
    render(<Table label="Runs" rows={rows} columns={COLUMNS} keyOf={(row) => row} open={() => undefined} news={{ count: 12, show: showNews }} />);
    fireEvent.click(screen.getByRole('button', { name: '12 new' }));
    expect(showNews).toHaveBeenCalledOnce();
  });

  test('asks for more when its last rows are near', () => {
    const more = vi.fn();
    render(<Table label="Runs" rows={rows.slice(0, 100)} columns={COLUMNS} keyOf={(row) => row} open={() => undefined} nearEnd={more} />);
    expect(more).not.toHaveBeenCalled();
    fireEvent.keyDown(screen.getByRole('grid'), { key: 'End' });
    expect(more).toHaveBeenCalled();
  });
});

test('the range in sight never leaves the list', () => {
  expect(rangeOf(0, 600, 28, 0)).toEqual({ first: 0, end: 0 });
  expect(rangeOf(0, 600, 28, 10)).toEqual({ first: 0, end: 10 });
  expect(rangeOf(100_000, 600, 28, 10)).toEqual({ first: 0, end: 10 });
  const middle = rangeOf(28_000, 560, 28, 10_000);
  expect(middle.first).toBe(988);
  expect(middle.end).toBe(1032);
});

test('rows stand by their places from any of them, each once', () => {
  for (const [first, end] of [[0, 45], [3, 48], [100, 145], [97, 112], [0, 7], [0, 0]] as const) {
    const rows = Array.from({ length: end - first }, (_, index) => first + index);
    for (const from of [0, 1, 17, 44, 90]) {
      const order = orderOf(first, end, 45, from);
      expect(order.toSorted((one, other) => one - other)).toEqual(rows);
      const places = order.map((at) => (((at - from) % 45) + 45) % 45);
      expect(places).toEqual(places.toSorted((one, other) => one - other));
    }
    expect(orderOf(first, end, 45, first % 45)).toEqual(rows);
  }
});
