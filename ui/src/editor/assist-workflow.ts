/** Completion and hover in a workflow's text: keys, tasks, variables and names of functions by place. */

import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import type { Text } from '@codemirror/state';
import type { Tooltip } from '@codemirror/view';
import { pathTo, type Step } from './format';
import { placeAt, saysOf, variablesAt } from './workflow-keys';

export interface Named { type: string; name: string; description?: string | null }

const linesTo = (doc: Text, line: number): string[] => Array.from({ length: line }, (_, at) => doc.line(at + 1).text);
const indentOf = (line: string): number => line.search(/\S|$/);

/** The names of the tasks in the list that a line stands in. */
export function siblings(lines: readonly string[], line: number, column: number): string[] {
  // The list's items stand at the nearest indent of a dash above that is less than the key's own.
  let dash = -1;
  for (let at = line; at >= 0 && dash < 0; at -= 1) {
    const found = /^(\s*)- +[^\s:][^:]*:\s*$/.exec(lines[at] ?? '');
    if (found && (found[1] ?? '').length < column && !/^\s*- +(?:with)\s*:/.test(lines[at] ?? '')) dash = (found[1] ?? '').length;
  }
  if (dash < 0) return [];
  const names: string[] = [];
  const walk = (from: number, step: 1 | -1) => {
    for (let at = from; at >= 0 && at < lines.length; at += step) {
      const text = lines[at] ?? '';
      if (text.trim() === '' || /^\s*#/.test(text)) continue;
      const found = /^(\s*)- +(?:(["']?)([^"':]+)\2)\s*:/.exec(text);
      if (found && (found[1] ?? '').length === dash) { if (found[3] !== undefined) names.push(found[3].trim()); continue; }
      if (indentOf(text) <= dash) return;
    }
  };
  walk(line, -1);
  names.reverse();
  walk(line + 1, 1);
  return names;
}

/** The names under `use` of a kind. */
function used(lines: readonly string[], kind: 'errors' | 'retries' | 'timeouts'): string[] {
  const use = lines.findIndex((line) => /^use\s*:/.test(line));
  if (use < 0) return [];
  const names: string[] = [];
  let inside = -1;
  let nameIndent = 0;
  for (let at = use + 1; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (line.trim() === '') continue;
    const indent = indentOf(line);
    if (indent === 0) break;
    if (new RegExp(`^\\s+${kind}\\s*:`).test(line) && inside < 0) { inside = indent; continue; }
    if (inside < 0) continue;
    if (indent <= inside) break;
    const found = /^(\s+)([\w-]+)\s*:/.exec(line);
    if (found && (names.length === 0 || indent === nameIndent)) { names.push(found[2] ?? ''); nameIndent = indent; }
  }
  return names;
}
/** Names that loops and catches around a line give. */
function given(lines: readonly string[], line: number): { items: string[]; errors: string[] } {
  const items: string[] = [];
  const errors: string[] = [];
  let indent = indentOf(lines[line] ?? '') + 1;
  for (let at = line; at >= 0; at -= 1) {
    const text = lines[at] ?? '';
    if (text.trim() === '') continue;
    const own = indentOf(text);
    // A loop's `for` stands beside the `do` around the line, so the same indent counts as around.
    if (own > indent) continue;
    if (/^\s*(?:- +)?for\s*:/.test(text)) {
      const inside = lines.slice(at + 1, at + 5);
      const name = (key: string, usual: string) => inside.map((one) => new RegExp(`^\\s*${key}\\s*:\\s*([\\w]+)`).exec(one)?.[1]).find(Boolean) ?? usual;
      items.push(name('each', 'item'), name('at', 'index'));
    }
    if (/^\s*(?:- +)?catch\s*:/.test(text)) {
      const as = lines.slice(at + 1, line + 1).map((one) => /^\s*as\s*:\s*(\w+)\s*$/.exec(one)?.[1]).find(Boolean);
      errors.push(as ?? 'error');
    }
    if (own < indent) indent = own;
  }
  return { items, errors };
}

const options = (from: number, found: Readonly<Record<string, string>>, type: string, validFor: RegExp): CompletionResult | null =>
  Object.keys(found).length === 0 ? null : { from, options: Object.entries(found).map(([label, info]): Completion => ({ label, type, ...(info === '' ? {} : { info }) })), validFor };

/** The way to the key of a line. */
function pathOf(lines: readonly string[], line: number): { path: Step[]; key: string; column: number } | null {
  const found = /^(\s*(?:- +)?)(["']?)([\w$-]+)\2\s*:/.exec(lines[line] ?? '');
  if (!found) return null;
  const column = (found[1] ?? '').length;
  return { path: pathTo(lines, line, column), key: found[3] ?? '', column };
}

export function workflowCompletions(definitions: () => readonly Named[]) {
  return (context: CompletionContext): CompletionResult | null => {
    const doc = context.state.doc;
    const line = doc.lineAt(context.pos);
    const before = line.text.slice(0, context.pos - line.from);
    const above = linesTo(doc, line.number - 1);
    const lines = [...above, before];
    const at = line.number - 1;
    const all = () => linesTo(doc, doc.lines);

    // Within an expression: its variables.
    const variable = /\$\w*$/.exec(before);
    if (variable && variable[0] !== '${' && !/\$\{$/.test(before)) {
      const own = pathOf(lines, at);
      const path = own ? [...own.path, own.key] : pathTo(lines, at, indentOf(before));
      return options(context.pos - variable[0].length, variablesAt(path, given(lines, at)), 'variable', /^\$\w*$/);
    }

    // The value of a key.
    const value = /^(\s*(?:- +)?)([\w$-]+):\s+(["']?)([\w.-]*)$/.exec(before);
    if (value) {
      const column = (value[1] ?? '').length;
      const place = placeAt([...pathTo(lines, at, column), value[2] ?? '']);
      if (place === null) return null;
      const found: Record<string, string> = { ...place.values };
      switch (place.names) {
        case 'then': for (const name of siblings(all(), at, column)) found[name] = 'A task of this list'; break;
        case 'retry': for (const name of used(all(), 'retries')) found[name] = 'A policy of use.retries'; break;
        case 'timeout': for (const name of used(all(), 'timeouts')) found[name] = 'A timeout of use.timeouts'; break;
        case 'error': for (const name of used(all(), 'errors')) found[name] = 'An error of use.errors'; break;
        case 'definition': {
          const beside = all().slice(Math.max(0, at - 4), at + 5).map((one) => /^\s*type\s*:\s*([\w]+)\s*$/.exec(one)?.[1]).find(Boolean);
          for (const one of definitions()) if (beside === undefined || one.type === beside) found[one.name] = one.description ?? one.type;
          break;
        }
        case undefined: break;
      }
      return options(context.pos - (value[4] ?? '').length, found, 'constant', /^[\w.-]*$/);
    }

    // A key.
    const key = /^(\s*(?:- +)?)([\w$-]*)$/.exec(before);
    if (!key || (!context.explicit && key[2] === '')) return null;
    const column = (key[1] ?? '').length;
    const place = placeAt(pathTo(lines, at, column));
    if (!place?.keys) return null;
    const indent = ' '.repeat(column);
    return {
      from: context.pos - (key[2] ?? '').length,
      options: Object.entries(place.keys).map(([label, entry]): Completion => ({ label, info: entry.says, type: 'property', apply: (entry.writes ?? `${label}: `).replaceAll('\n', `\n${indent}`) })),
      validFor: /^[\w$-]*$/,
    };
  };
}

/** What the format says of the key under the pointer. */
export function workflowHover(doc: Text, pos: number): Tooltip | null {
  const line = doc.lineAt(pos);
  const lines = linesTo(doc, line.number);
  const own = pathOf(lines, line.number - 1);
  if (!own) return null;
  const start = line.from + own.column;
  if (pos < start || pos > start + own.key.length) return null;
  const says = saysOf(own.path, own.key);
  if (says === undefined) return null;
  return {
    pos: start, end: start + own.key.length, above: true,
    create() {
      const dom = document.createElement('div');
      dom.className = 'cm-says';
      dom.textContent = says;
      return { dom };
    },
  };
}
