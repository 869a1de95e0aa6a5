import { act, fireEvent, render, screen } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { JsonTree } from './tree';

const big = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`key-${index}`, { at: index }]));

describe('the tree of a value', () => {
  test('ten thousand members are a few rows in the page', () => {
    render(<JsonTree value={big} label="View" />);
    expect(screen.getAllByRole('treeitem').length).toBeLessThan(70);
    const first = screen.getAllByRole('treeitem')[0];
    expect(first?.getAttribute('aria-setsize')).toBe('10000');
    expect(first?.getAttribute('aria-expanded')).toBe('false');
  });

  test('the keys open, walk, close and go up', () => {
    render(<JsonTree value={big} label="View" />);
    const tree = screen.getByRole('tree', { name: 'View' });
    act(() => tree.focus());
    fireEvent.keyDown(tree, { key: 'ArrowRight' });
    expect(screen.getByText('at')).toBeTruthy();
    fireEvent.keyDown(tree, { key: 'ArrowRight' });
    expect(screen.getByText('/key-0/at')).toBeTruthy();
    fireEvent.keyDown(tree, { key: 'ArrowLeft' });
    expect(screen.getByText('/key-0')).toBeTruthy();
    fireEvent.keyDown(tree, { key: 'ArrowLeft' });
    expect(screen.queryByText('at')).toBeNull();
    fireEvent.keyDown(tree, { key: 'End' });
    expect(screen.getByText('/key-9999')).toBeTruthy();
  });

  test('what changed is said by sign and word, and stands open', () => {
    render(<JsonTree value={{ kept: { a: 1, b: 2 }, gone: 0 }} before={{ kept: { a: 1, b: 1 }, old: 3 }} label="View" />);
    const marked = screen.getAllByRole('treeitem').filter((row) => row.dataset['mark']).map((row) => `${row.dataset['mark']} ${row.textContent}`);
    expect(marked).toEqual([
      expect.stringContaining('changed ~b1'), expect.stringContaining('added +gone'), expect.stringContaining('removed −old'),
    ]);
    expect(marked[0]).toContain(', changed');
  });

  test('a value that is no branch is shown', () => {
    render(<JsonTree value={42} label="Output" />);
    expect(screen.getByText('42')).toBeTruthy();
  });
});
