/**
 * What an event holds where the fold raised: read from the text of the line, told only where the
 * event itself says it. Must not guess.
 */

import type { Json } from '../../api/types';
import { isBranch, isObject, kindWords, preview } from '../../data/json';

export interface Cause { title: string; tell: string }

const STEP = String.raw`(?:\??\.\s*[A-Za-z_$][\w$]*|(?:\?\.)?\[\s*(?:'[^']*'|"[^"]*"|\d+)\s*\])`;

/** The names a chain of reads goes through: `.data['output']` is `data`, `output`. */
function namesOf(chain: string): string[] {
  return [...chain.matchAll(/\.\s*([A-Za-z_$][\w$]*)|\[\s*(?:'([^']*)'|"([^"]*)"|(\d+))\s*\]/g)].map(([, dotted, single, double, digit]) => dotted ?? single ?? double ?? digit ?? '');
}

/** A cast of the text: what follows `as`, without anything that could choose another value. */
const CAST = String.raw`(?:\s+as\s+(?:[^?()=]|\?:)*?)?`;
const NAME = String.raw`[A-Za-z_$][\w$]*`;
const PLAIN = new RegExp(String.raw`^\s*(?:const|let)\s+(${NAME})\s*(?::[^=]+)?=\s*(${NAME})((?:${STEP})*)${CAST};?\s*$`);
const CASTED = new RegExp(String.raw`^\s*(?:const|let)\s+(${NAME})\s*(?::[^=]+)?=\s*\((${NAME})((?:${STEP})*)${CAST}\)((?:${STEP})*);?\s*$`);
const TOP = /^(?:export\s+)?(?:default\s+)?(?:async\s+)?(?:function|const|let)\b/;

/**
 * The names that stand for a place in the event at a line: the parameter of the type `Event` of the
 * function the line is in, and constants made of it before, such as `const data = event.data`.
 */
function standIns(lines: readonly string[], line: number): Map<string, string[]> {
  const found = new Map<string, string[]>();
  let head = line - 1;
  while (head > 0 && !TOP.test(lines[head] ?? '')) head -= 1;
  const event = new RegExp(String.raw`(${NAME})\s*:\s*Event\b`).exec(lines.slice(head, line).join('\n'))?.[1];
  if (event === undefined) return found;
  found.set(event, []);
  for (const made of lines.slice(head, line - 1)) {
    const [, name, base, chain, rest] = PLAIN.exec(made) ?? CASTED.exec(made) ?? [];
    const from = base === undefined ? undefined : found.get(base);
    if (name !== undefined && from !== undefined) found.set(name, [...from, ...namesOf(chain ?? ''), ...namesOf(rest ?? '')]);
    else {
      const other = new RegExp(String.raw`^\s*(?:const|let)\s+(${NAME})\b`).exec(made)?.[1];
      if (other !== undefined) found.delete(other);
    }
  }
  // A parameter of a function within the line is its own.
  for (const [, names] of (lines[line - 1] ?? '').matchAll(/\(?([\w$,\s:[\]]*)\)?\s*=>/g)) for (const name of names?.split(/[^\w$]+/) ?? []) found.delete(name);
  return found;
}

const said = (names: readonly string[]): string => ['event', ...names].map((name, index) => (index === 0 ? name : /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`)).join('');

const what = (value: Json): string => {
  if (value === null) return 'null';
  if (isBranch(value)) return Array.isArray(value) ? `a ${kindWords(value)}` : `an object of ${kindWords(value)}`;
  return `${typeof value === 'string' ? 'the text' : `the ${typeof value}`} ${preview(value)}`;
};

const LIST = new Set(['length', ...Object.getOwnPropertyNames(Array.prototype)]);
const TEXT = new Set(['length', ...Object.getOwnPropertyNames(String.prototype)]);
const NUMBER = new Set(Object.getOwnPropertyNames(Number.prototype));

/** Whether a value that is no object has a member of that name of its kind. */
function hasOwnKind(value: Json, name: string): boolean {
  if (Array.isArray(value)) return LIST.has(name) || /^\d+$/.test(name);
  if (typeof value === 'string') return TEXT.has(name);
  return typeof value === 'number' && NUMBER.has(name);
}

/** What a read of the line meets in the event, when that is not what the line takes it for. */
function met(event: Json, names: readonly string[]): Cause | null {
  let now: Json = event;
  for (const [index, name] of names.entries()) {
    const so = names.slice(0, index);
    if (isObject(now)) {
      const next: Json | undefined = Object.hasOwn(now, name) ? now[name] : undefined;
      if (next === undefined) return { title: 'A member is missing', tell: `\`${said(so)}\` has no member \`${name}\`${Object.keys(now).length === 0 ? ': it is empty' : `; it holds ${Object.keys(now).slice(0, 6).map((key) => `\`${key}\``).join(', ')}${Object.keys(now).length > 6 ? ' and more' : ''}`}.` };
      now = next;
      continue;
    }
    if (Array.isArray(now) && /^\d+$/.test(name)) {
      const next: Json | undefined = now[Number(name)];
      if (next === undefined) return { title: 'A member is missing', tell: `\`${said(so)}\` is a ${kindWords(now)}, so it has no item ${name}.` };
      now = next;
      continue;
    }
    return hasOwnKind(now, name) ? null : { title: 'A value of another type', tell: `\`${said(so)}\` is ${what(now)}, and the line reads \`${name}\` from it.` };
  }
  return null;
}

const INHERITED: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype));

/** Texts of the event that name what every object inherits, with where they stand. */
function inherited(value: Json, names: readonly string[], left: { rows: number }): { names: string[]; text: string } | null {
  left.rows -= 1;
  if (left.rows < 0) return null;
  if (typeof value === 'string') return INHERITED.has(value) ? { names: [...names], text: value } : null;
  if (!isBranch(value)) return null;
  for (const [key, item] of Object.entries(value)) {
    const found = inherited(item, [...names, key], left);
    if (found) return found;
  }
  return null;
}

/** The causes that the event and the failing line tell; none when they tell nothing. `line` counts from 1. */
export function causesOf(text: string, line: number | null, event: Json): Cause[] {
  const lines = text.split(/\r\n?|\n/);
  const failing = line === null ? undefined : lines[line - 1];
  const causes: Cause[] = [];
  if (failing !== undefined && line !== null) {
    const names = standIns(lines, line);
    for (const [, base, chain] of failing.matchAll(new RegExp(String.raw`(?<![\w$.])([A-Za-z_$][\w$]*)((?:${STEP})+)`, 'g'))) {
      const from = base === undefined ? undefined : names.get(base);
      if (from === undefined || chain === undefined) continue;
      const cause = met(event, [...from, ...namesOf(chain)]);
      if (cause && !causes.some((one) => one.tell === cause.tell)) causes.push(cause);
    }
  }
  const name = inherited(event, [], { rows: 2000 });
  if (name) causes.push({ title: 'An inherited name', tell: `\`${said(name.names)}\` is \`${name.text}\`, which every object inherits. As a key, read it only when \`Object.hasOwn\` holds.` });
  if (causes.length === 0 && failing !== undefined && /\bthrow\b/.test(failing)) {
    causes.push({ title: 'Thrown on purpose', tell: `The line throws by itself. Return \`view\` as it is for such an event, or let a filter pass it over.` });
  }
  return causes;
}

/** What a schema wants at a place of the value; undefined where it says nothing of it. */
export function schemaAt(schema: Json, pointer: string): Json | undefined {
  let now: Json | undefined = schema;
  for (const raw of pointer.split('/').slice(1)) {
    const key = raw.replaceAll('~1', '/').replaceAll('~0', '~');
    if (!isObject(now)) return undefined;
    const properties: Json | undefined = now['properties'];
    const first: Json | undefined = now['prefixItems'];
    if (isObject(properties) && Object.hasOwn(properties, key)) now = properties[key];
    else if (Array.isArray(first) && /^\d+$/.test(key) && Number(key) < first.length) now = first[Number(key)];
    else if (/^\d+$/.test(key) && now['items'] !== undefined) now = now['items'];
    else now = now['additionalProperties'];
    if (now === undefined) return undefined;
  }
  return now;
}
