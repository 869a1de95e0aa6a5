/**
 * How the lines of a text end. An editor holds lines alone; here it remembers the end of each, so that what it
 * gives is the text it was given but for what was typed: `\n`, `\r\n` and a lone `\r` stay where they were.
 *
 * Outside an editor a text has its own ends, and its places count them; within, every end is one unit long.
 */

import { invertedEffects } from '@codemirror/commands';
import { EditorState, StateEffect, StateField, type Extension, type Text, type Transaction } from '@codemirror/state';

type End = '\n' | '\r\n' | '\r';

interface Ends {
  /** How most lines end; a new line ends so where none beside it tells. */
  readonly usual: End;
  /** The end of each line but the last; null while all of them are usual. */
  readonly each: readonly End[] | null;
}

const BREAK = /\r\n|\n|\r/g;

/** The lines of a text, as an editor and the runtime split it. */
export const linesOf = (text: string): string[] => text.split(/\r\n|\n|\r/);

function endsOf(text: string): Ends {
  const each = (text.match(BREAK) ?? []) as End[];
  const counted = new Map<End, number>();
  for (const end of each) counted.set(end, (counted.get(end) ?? 0) + 1);
  const usual = [...counted].reduce<[End, number]>((most, one) => (one[1] > most[1] ? one : most), ['\n', 0])[0];
  return { usual, each: counted.size > 1 ? each : null };
}

/** How the lines of a text end, in words; nothing for a text of one line. */
export function endsWords(text: string): string {
  const { usual, each } = endsOf(text);
  return linesOf(text).length === 1 ? '' : each !== null ? 'mixed line ends' : usual === '\n' ? 'line ends LF' : usual === '\r' ? 'line ends CR' : 'line ends CRLF';
}

const setEnds = StateEffect.define<Ends>();

/** Kept lines keep their ends; new ones end as those they replace, else as the line they were typed in. */
function follow(ends: Ends, transaction: Transaction): Ends {
  const old = ends.each;
  if (old === null || !transaction.docChanged) return ends;
  const before = transaction.startState.doc;
  const each: End[] = [];
  let kept = 0;
  transaction.changes.iterChanges((fromA, toA, _fromB, _toB, inserted) => {
    const first = before.lineAt(fromA).number - 1;
    const last = before.lineAt(toA).number - 1;
    each.push(...old.slice(kept, first));
    for (let line = 0; line < inserted.lines - 1; line += 1) {
      each.push((first + line < last ? old[first + line] : undefined) ?? old[last] ?? each.at(-1) ?? ends.usual);
    }
    kept = last;
  });
  each.push(...old.slice(kept));
  // A lone `\r` before an empty line that ends with `\n` would become one end with it.
  const after = transaction.newDoc;
  for (let at = 1; at < each.length; at += 1) if (each[at - 1] === '\r' && each[at] === '\n' && after.line(at + 1).length === 0) each[at] = '\r';
  return { usual: ends.usual, each };
}

const fits = (ends: Ends, doc: Text): boolean => ends.each === null || ends.each.length === doc.lines - 1;

export const endsField = StateField.define<Ends>({
  create: () => ({ usual: '\n', each: null }),
  update(ends, transaction) {
    let next: Ends | null = null;
    // Undone together, the last is the oldest.
    for (const effect of transaction.effects) if (effect.is(setEnds) && fits(effect.value, transaction.newDoc)) next = effect.value;
    return next ?? follow(ends, transaction);
  },
  toJSON: (ends) => ends,
  fromJSON: (ends) => ends as Ends,
});

/** Undo brings back what cannot be told from the lines: the ends of a text with several, and those of the text before another. */
const undone = invertedEffects.of((transaction) => {
  const ends = transaction.startState.field(endsField);
  const told = transaction.effects.some((effect) => effect.is(setEnds));
  return told || (transaction.docChanged && ends.each !== null) ? [setEnds.of(ends)] : [];
});

/** Makes an editor remember the ends of the text that it opens with. */
export const remembers = (text: string): Extension => [endsField.init(() => endsOf(text)), undone];

/** With the change of an editor's lines to those of another text: takes the ends of that text. */
export const takesEnds = (text: string): StateEffect<unknown> => setEnds.of(endsOf(text));

export const endsChanged = (before: EditorState, after: EditorState): boolean => before.field(endsField) !== after.field(endsField);

/** The text of an editor, with its own ends. */
export function textOf(state: EditorState): string {
  const { usual, each } = state.field(endsField);
  if (each === null) return state.doc.sliceString(0, state.doc.length, usual);
  let text = '';
  let at = 0;
  for (const line of state.doc.iterLines()) {
    text += at === 0 ? line : (each[at - 1] ?? usual) + line;
    at += 1;
  }
  return text;
}

/** A place of the text as a place in the editor; one within an end is before it. */
export function inEditor(state: EditorState, place: number): number {
  const { usual, each } = state.field(endsField);
  if (each === null && usual.length === 1) return Math.min(place, state.doc.length);
  let start = 0;
  for (let number = 1; number <= state.doc.lines; number += 1) {
    const line = state.doc.line(number);
    const next = start + line.length + (each?.[number - 1] ?? usual).length;
    if (place < next) return Math.min(line.to, line.from + Math.max(0, place - start));
    start = next;
  }
  return state.doc.length;
}

/** A place in the editor as a place of the text. */
export function inText(state: EditorState, place: number): number {
  const { usual, each } = state.field(endsField);
  const above = state.doc.lineAt(place).number - 1;
  if (each === null) return place + above * (usual.length - 1);
  let more = 0;
  for (let at = 0; at < above; at += 1) more += (each[at] ?? usual).length - 1;
  return place + more;
}
