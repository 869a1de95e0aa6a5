import { act, fireEvent, screen, within } from '@testing-library/react';
import { useEffect } from 'react';
import { describe, expect, test, vi } from 'vitest';
import type { DocumentRow } from '../api/types';
import { FakeTransport, check, documentText, show } from '../testing/fake';
import { DefinitionTree } from './tree';
import { useWorkspace } from './workspace';

const row = (type: string, name: string, given: Partial<DocumentRow> = {}): DocumentRow =>
  ({ type, name, path: `${type}/${name}.md`, state: 'saved', version: 1, problems: 0, warnings: 0, description: null, standing: null, ...given });

const place = { span: { start: 0, end: 1 }, line: 1, column: 1, end_line: 1, end_column: 2 };

/** A text that is typed, not saved, and wrong. */
function Typed() {
  const { drafts } = useWorkspace();
  useEffect(() => {
    drafts.read(documentText());
    drafts.type('computation/score', 'wrong');
    drafts.judged('computation/score', 'wrong', check({ problems: [{ code: 'x', severity: 'error', place, message: 'No.' }] }));
  }, [drafts]);
  return null;
}

describe('the tree of definitions', () => {
  test('stands in the seed’s order, each with its marks', () => {
    show(new FakeTransport(), <DefinitionTree create={vi.fn()} went={vi.fn()} />, {
      documents: [row('computation', 'score', { state: 'problems', problems: 2 }), row('computation', 'old', { state: 'retired' }), row('recall', 'reviews', { version: 3, standing: { state: 'stalled', folded: 9, lag_ms: 0, kind: 'raised' } })],
    });
    const items = screen.getAllByRole('treeitem').map((item) => item.textContent);
    expect(items).toEqual([expect.stringContaining('Workflows'), expect.stringContaining('Interaction'), expect.stringContaining('Recall'), expect.stringMatching(/reviews.*stalled/), expect.stringContaining('Computation'), expect.stringMatching(/score.*2 problems/), expect.stringMatching(/old.*retired/)]);
  });

  test('a text on screen that is wrong is marked, though the file is right', () => {
    show(new FakeTransport(), <><Typed /><DefinitionTree create={vi.fn()} went={vi.fn()} /></>, { documents: [row('computation', 'score')] });
    expect(screen.getByRole('treeitem', { name: /score/ }).textContent).toMatch(/1 problem.*not on disk/);
  });

  test('the arrows and letters walk it; one stop for Tab', () => {
    show(new FakeTransport(), <DefinitionTree create={vi.fn()} went={vi.fn()} />, { documents: [row('recall', 'alpha'), row('recall', 'beta'), row('computation', 'gamma')] });
    const tree = screen.getByRole('tree');
    expect(within(tree).getAllByRole('treeitem').filter((item) => item.tabIndex === 0)).toHaveLength(1);
    act(() => within(tree).getByRole('treeitem', { name: /alpha/ }).focus());
    fireEvent.keyDown(tree, { key: 'ArrowDown' });
    fireEvent.keyDown(tree, { key: 'ArrowDown' });
    expect(document.activeElement?.textContent).toContain('gamma');
    fireEvent.keyDown(tree, { key: 'b' });
    expect(document.activeElement?.textContent).toContain('beta');
    fireEvent.keyDown(tree, { key: 'Home' });
    expect(document.activeElement?.textContent).toContain('alpha');
  });

  test('what is wrong with several files in the same way is said once', () => {
    const message = 'Run `npm install` first.';
    show(new FakeTransport(), <DefinitionTree create={vi.fn()} went={vi.fn()} />, { problems: [{ path: 'a.md', message }, { path: 'b.md', message }] });
    expect(screen.getAllByText('npm install')).toHaveLength(1);
    expect(screen.getByText('a.md')).toBeTruthy();
    expect(screen.getByText('b.md')).toBeTruthy();
  });
});
