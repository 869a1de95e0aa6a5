import { history, insertNewlineAndIndent, redo, undo } from '@codemirror/commands';
import { EditorState, type TransactionSpec } from '@codemirror/state';
import { act, render } from '@testing-library/react';
import { createRef } from 'react';
import { describe, expect, test, vi } from 'vitest';
import { CodeEditor, smallestChange, type EditorHandle } from './code-editor';
import { endsField, endsWords, inEditor, inText, linesOf, remembers, takesEnds, textOf } from './ends';

const opened = (text: string) => EditorState.create({ doc: text, extensions: [remembers(text), history()] });
const after = (state: EditorState, spec: TransactionSpec) => state.update(spec).state;
const does = (state: EditorState, command: typeof undo): EditorState => {
  let next = state;
  command({ state, dispatch: (transaction) => { next = transaction.state; } });
  return next;
};

const TEXTS = [
  '', 'one', 'one\n', '\r\n', 'one\r\ntwo\r\n', 'one\r\ntwo', 'one\rtwo\r', '\r\r\n\n\r', 'a\r\nb\nc\rd\r\n\r\ne', '\ufeffa: 1\r\nb: "\u2028\u0085"\r\n', 'é😀\r\n😀é\r\n\r\n',
];

describe('the ends of lines', () => {
  test.each(TEXTS)('a text that is opened is the same text: %j', (text) => {
    const state = opened(text);
    expect(textOf(state)).toBe(text);
    expect(state.doc.lines).toBe(linesOf(text).length);
    expect(textOf(EditorState.fromJSON(state.toJSON({ ends: endsField }) as object, { extensions: remembers('') }, { ends: endsField }))).toBe(text);
  });

  test('a new line ends as the line that it is typed in', () => {
    for (const [text, want] of [['one\r\ntwo\r\n', 'one\r\n\r\ntwo\r\n'], ['one\ntwo\r\nthree', 'one\n\ntwo\r\nthree'], ['one\rtwo', 'one\r\rtwo'], ['one', 'one\n']] as const) {
      expect(textOf(does(after(opened(text), { selection: { anchor: 3 } }), insertNewlineAndIndent))).toBe(want);
    }
  });

  test('what is pasted ends as the lines around it', () => {
    const state = opened('one\r\ntwo\r\n');
    for (const pasted of ['x\ny\n', 'x\r\ny\r\n', 'x\ry\n']) expect(textOf(after(state, { changes: { from: 4, insert: state.toText(pasted) } }))).toBe('one\r\nx\r\ny\r\ntwo\r\n');
  });

  test('an emptied text still ends its lines as it did', () => {
    const emptied = after(opened('one\r\ntwo'), { changes: { from: 0, to: 7 } });
    expect(textOf(emptied)).toBe('');
    expect(textOf(after(emptied, { changes: { from: 0, insert: 'a\nb' } }))).toBe('a\r\nb');
  });

  test('undo and redo bring back the ends that were there', () => {
    const text = 'a\r\nb\nc\rd\r\ne\n';
    const state = opened(text);
    const cut = after(state, { changes: { from: 1, to: 7, insert: '!' } });
    expect(textOf(cut)).toBe('a!\r\ne\n');
    expect(textOf(does(cut, undo))).toBe(text);
    expect(textOf(does(does(cut, undo), redo))).toBe('a!\r\ne\n');
  });

  test('the ends of another text are taken with it, and undone with it', () => {
    const state = after(opened('one\ntwo\n'), { changes: { from: 0, insert: 'mine ' } });
    const userEvent = 'outside';
    const theirs = 'one\r\nthree\r\n';
    const taken = after(state, { changes: smallestChange(state.doc.toString(), linesOf(theirs).join('\n')), effects: takesEnds(theirs), userEvent });
    expect(textOf(taken)).toBe(theirs);
    expect(textOf(does(taken, undo))).toBe('mine one\ntwo\n');
    // The same lines with other ends are another text too.
    const other = after(state, { effects: takesEnds('mine one\r\ntwo\r\n'), userEvent });
    expect(textOf(other)).toBe('mine one\r\ntwo\r\n');
    expect(textOf(does(other, undo))).toBe('mine one\ntwo\n');
  });

  test.each(TEXTS)('places go in and out: %j', (text) => {
    const state = opened(text);
    for (let place = 0; place <= state.doc.length; place += 1) expect(inEditor(state, inText(state, place))).toBe(place);
    for (let place = 0; place <= text.length; place += 1) {
      const within = text[place] === '\n' && text[place - 1] === '\r';
      expect(inText(state, inEditor(state, place))).toBe(within ? place - 1 : place);
    }
  });

  test('any edit leaves every line that it did not touch, and undo leaves all of them', () => {
    let seed = 7;
    const below = (most: number) => { seed = (seed * 48_271) % 2_147_483_647; return seed % most; };
    const parts = ['a', 'bc', 'é', '😀', ' ', '# x', '\n', '\r\n', '\r\n', '\r'];
    for (let turn = 0; turn < 400; turn += 1) {
      // A lone `\r` and a `\n` that come to stand together cannot both stay.
      const lone = turn % 2;
      const some = (most: number) => Array.from({ length: below(most) }, () => parts[below(parts.length - 1 + lone)]).join('');
      const text = some(40);
      let state = opened(text);
      const edits = 1 + below(3);
      for (let edit = 0; edit < edits; edit += 1) {
        const before = textOf(state);
        const from = below(state.doc.length + 1);
        const to = from + below(state.doc.length - from + 1);
        const [start, end] = [inText(state, from), inText(state, to)];
        state = after(state, { changes: { from, to, insert: state.toText(some(5)) } });
        const now = textOf(state);
        if (lone === 0) expect([now.startsWith(before.slice(0, start)), now.endsWith(before.slice(end))]).toEqual([true, true]);
        expect(linesOf(now)).toEqual(state.doc.toJSON());
      }
      for (let edit = 0; edit < edits; edit += 1) state = does(state, undo);
      expect(textOf(state)).toBe(text);
    }
  });

  test('ends in words', () => {
    expect(['a', 'a\nb', 'a\r\nb', 'a\rb', 'a\nb\r\nc'].map(endsWords)).toEqual(['', 'line ends LF', 'line ends CRLF', 'line ends CR', 'mixed line ends']);
  });
});

describe('the editor', () => {
  const TEXT = 'é: 1\r\nb: 2\r\nc: 3\r\n';
  const show = (text: string, onText: (text: string) => void, handle = createRef<EditorHandle>()) => {
    const made = (shown: string) => <CodeEditor handle={handle} label="Text" language="yaml" text={shown} onText={onText} problems={[]} judged="" />;
    const { rerender } = render(made(text));
    return { handle, rerender: (shown: string) => rerender(made(shown)) };
  };

  test('says the text with its ends, and takes places that count them', () => {
    const heard = vi.fn();
    const { handle } = show(TEXT, heard);
    expect(heard).not.toHaveBeenCalled();
    const from = TEXT.indexOf('2');
    act(() => handle.current?.change([{ from, to: from + 1, insert: '20\r\nd: 4' }, { from: TEXT.length, to: TEXT.length, insert: 'e: 5\n' }]));
    expect(heard).toHaveBeenLastCalledWith('é: 1\r\nb: 20\r\nd: 4\r\nc: 3\r\ne: 5\r\n');
  });

  test('a fix changes its own place', () => {
    const heard = vi.fn();
    const { handle } = show(TEXT, heard);
    act(() => handle.current?.fix({ title: 'x', edits: [{ span: { start: 22, end: 23 }, from: { line: 3, column: 4 }, to: { line: 3, column: 5 }, text: '4\r\nd: 5' }] }));
    expect(heard).toHaveBeenLastCalledWith('é: 1\r\nb: 2\r\nc: 4\r\nd: 5\r\n');
  });

  test('follows a text from outside whose ends alone differ', () => {
    const heard = vi.fn();
    const { handle, rerender } = show(TEXT, heard);
    rerender(TEXT.replaceAll('\r\n', '\n'));
    act(() => handle.current?.change([{ from: 3, to: 4, insert: '9' }]));
    expect(heard).toHaveBeenLastCalledWith('é: 9\nb: 2\nc: 3\n');
  });
});
