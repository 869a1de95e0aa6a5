import { act, fireEvent, render, screen } from '@testing-library/react';
import { describe, expect, test, vi } from 'vitest';
import { Table, type Column } from './table';
import { rangeOf } from './window';

const rows = Array.from({ length: 10_000 }, (_, index) => `row ${index}`);
const COLUMNS: readonly Column<string>[] = [{ id: 'name', title: 'Name', width: '1fr', cell: (row) => row }];

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
