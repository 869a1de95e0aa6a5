/**
 * The input of a run: one text, which the form and the JSON tab both edit. A text that is not JSON
 * is kept as it is and said; the form then waits.
 */

import type { Json } from '../api/types';

export interface Input {
  readonly text: string;
  readonly value: Json | undefined;
  /** Why the text is not JSON, with its place. */
  readonly problem: string | null;
  /** The last value that could be read, to go back to. */
  readonly lastGood: Json;
}

/** Where and why a text is not JSON, in words that are the same in every engine. */
export function jsonProblem(text: string): string | null {
  try {
    JSON.parse(text);
    return null;
  } catch {
    const at = firstWrong(text);
    const before = text.slice(0, at).split('\n');
    const where = `Line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
    if (text.trim() === '') return 'The text is empty. The least input is {}.';
    return at >= text.trimEnd().length ? `${where}: the text ends too early.` : `${where}: this is not JSON from here on.`;
  }
}

/** The place of the first character that cannot belong to JSON. */
function firstWrong(text: string): number {
  let at = 0;
  let furthest = 0;
  const space = () => { while (/\s/.test(text[at] ?? '')) at += 1; furthest = Math.max(furthest, at); };
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (!found) return false;
    at += found[0].length;
    furthest = Math.max(furthest, at);
    return true;
  };
  // A stack instead of recursion: ten thousand brackets are only text.
  const stack: ('[' | '{')[] = [];
  let wants: 'value' | 'after' | 'key' = 'value';
  for (;;) {
    space();
    const next = text[at];
    if (next === undefined) return at;
    if (wants === 'value') {
      if (next === '[' || next === '{') {
        stack.push(next);
        at += 1;
        space();
        if (text[at] === (next === '[' ? ']' : '}')) { at += 1; stack.pop(); wants = 'after'; }
        else wants = next === '{' ? 'key' : 'value';
      } else if (take(/"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y) || take(/-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y) || take(/true|false|null/y)) wants = 'after';
      else return furthest;
    } else if (wants === 'key') {
      if (!take(/"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y)) return furthest;
      space();
      if (text[at] !== ':') return at;
      at += 1;
      wants = 'value';
    } else {
      const inside = stack.at(-1);
      if (inside === undefined) return at;
      if (next === ',') { at += 1; wants = inside === '{' ? 'key' : 'value'; }
      else if (next === (inside === '[' ? ']' : '}')) { at += 1; stack.pop(); }
      else return at;
    }
  }
}

export function inputOf(text: string, lastGood: Json = {}): Input {
  const problem = jsonProblem(text);
  if (problem !== null) return { text, value: undefined, problem, lastGood };
  const value = JSON.parse(text) as Json;
  return { text, value, problem: null, lastGood: value };
}

export const inputFrom = (value: Json): Input => ({ text: JSON.stringify(value, null, 2), value, problem: null, lastGood: value });
