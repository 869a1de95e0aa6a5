/** JSON values as trees: pointers, kinds, and what differs between two. */

import type { Json } from '../api/types';

export type JsonObject = { [key: string]: Json };

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isBranch = (value: Json | undefined): value is JsonObject | Json[] => typeof value === 'object' && value !== null;

const escape = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

export const under = (pointer: string, key: string | number): string => `${pointer}/${escape(String(key))}`;

export function keysOf(pointer: string): string[] {
  return pointer === '' ? [] : pointer.slice(1).split('/').map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The value at a pointer; undefined where there is none. Reads own members only. */
export function valueAt(value: Json | undefined, pointer: string): Json | undefined {
  let now = value;
  for (const key of keysOf(pointer)) {
    if (Array.isArray(now)) now = now[Number(key)];
    else if (isObject(now)) now = Object.hasOwn(now, key) ? now[key] : undefined;
    else return undefined;
  }
  return now;
}

/** An object with one member set, as its own member whatever its name. */
export function withMember(object: JsonObject, key: string, value: Json | undefined): JsonObject {
  const entries = Object.entries(object);
  const known = entries.findIndex(([name]) => name === key);
  if (value === undefined) entries.splice(known, known < 0 ? 0 : 1);
  else if (known < 0) entries.push([key, value]);
  else entries[known] = [key, value];
  return Object.fromEntries(entries);
}

/** The same value with another one at a pointer; `undefined` takes it away. Missing parents are made. */
export function withValue(value: Json | undefined, pointer: string, given: Json | undefined): Json | undefined {
  const [key, ...rest] = keysOf(pointer);
  if (key === undefined) return given;
  const deeper = rest.map((part) => `/${escape(part)}`).join('');
  if (Array.isArray(value)) {
    const at = Number(key);
    const next = withValue(value[at], deeper, given);
    return next === undefined ? value.toSpliced(at, 1) : value.toSpliced(at, 1, next);
  }
  const object = isObject(value) ? value : {};
  const inner = Object.hasOwn(object, key) ? object[key] : undefined;
  return withMember(object, key, withValue(inner, deeper, given));
}

export function same(one: Json | undefined, other: Json | undefined): boolean {
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other)) return one.length === other.length && one.every((item, index) => same(item, other[index]));
  if (isObject(one) && isObject(other)) {
    const keys = Object.keys(one);
    return keys.length === Object.keys(other).length && keys.every((key) => Object.hasOwn(other, key) && same(one[key], other[key]));
  }
  return false;
}

export type Mark = 'added' | 'removed' | 'changed' | 'same';

export interface Node {
  key: string;
  /** Its place among the rows; a removed item's place is its own, beside the one that took it. */
  id: string;
  pointer: string;
  value: Json;
  before?: Json;
  mark: Mark;
  /** Anything beneath it differs. */
  differs: boolean;
}

/** The members of a value, each with how it differs when there is a value before. */
export function membersOf(node: Pick<Node, 'id' | 'pointer' | 'value' | 'mark' | 'before'>): Node[] {
  const { value } = node;
  if (!isBranch(value)) return [];
  const before = node.mark === 'same' && node.before !== undefined && node.before !== value ? node.before : undefined;
  const plain = (key: string, item: Json, mark: Mark): Node =>
    ({ key, id: under(node.id, key) + (mark === 'removed' ? '~' : ''), pointer: under(node.pointer, key), value: item, mark, differs: mark !== 'same' });
  // A value that took the place of one of another kind came in whole.
  const other = before !== undefined && (Array.isArray(value) ? !Array.isArray(before) : !isObject(before));
  const inherited: Mark = node.mark === 'added' || node.mark === 'removed' ? node.mark : other ? 'added' : 'same';
  if (Array.isArray(value)) {
    if (!Array.isArray(before)) return value.map((item, index) => ({ ...plain(String(index), item, inherited), differs: other }));
    return listMembers(node, value, before, plain);
  }
  if (!isObject(before)) return Object.entries(value).map(([key, item]) => ({ ...plain(key, item, inherited), differs: other }));
  const now = Object.entries(value).map(([key, item]) =>
    Object.hasOwn(before, key) ? compared(plain(key, item, 'same'), before[key] as Json) : plain(key, item, 'added'));
  const gone = Object.entries(before).flatMap(([key, item]) => (Object.hasOwn(value, key) ? [] : [plain(key, item, 'removed')]));
  return [...now, ...gone];
}

function compared(node: Node, before: Json): Node {
  if (same(node.value, before)) return node;
  const deep = (Array.isArray(node.value) && Array.isArray(before)) || (isObject(node.value) && isObject(before));
  return { ...node, before, mark: deep ? 'same' : 'changed', differs: true };
}

/** Lists are laid over each other by their equal beginning and end, so that a shift marks what moved in and out. */
function listMembers(node: Pick<Node, 'id' | 'pointer'>, now: Json[], before: Json[], plain: (key: string, item: Json, mark: Mark) => Node): Node[] {
  const most = Math.min(now.length, before.length);
  // A list that drops its first and takes one at its end is the usual one: try that alignment too.
  let shift = 0;
  if (now.length > 0 && before.length > 0 && !same(now[0], before[0])) {
    const found = before.slice(0, 50).findIndex((item) => same(item, now[0]));
    if (found > 0) shift = found;
  }
  if (shift > 0) {
    const rows = before.slice(0, shift).map((item, index) => plain(String(index), item, 'removed'));
    now.forEach((item, index) => {
      const was = before[index + shift];
      rows.push(was === undefined ? plain(String(index), item, 'added') : compared(plain(String(index), item, 'same'), was));
    });
    return rows;
  }
  let start = 0;
  while (start < most && same(now[start], before[start])) start += 1;
  let end = 0;
  while (end < most - start && same(now[now.length - 1 - end], before[before.length - 1 - end])) end += 1;
  const rows: Node[] = [];
  now.slice(0, start).forEach((item, index) => rows.push(plain(String(index), item, 'same')));
  const middleNow = now.slice(start, now.length - end);
  const middleBefore = before.slice(start, before.length - end);
  middleNow.forEach((item, index) => {
    const was = middleBefore[index];
    rows.push(was === undefined ? plain(String(start + index), item, 'added') : compared(plain(String(start + index), item, 'same'), was));
  });
  middleBefore.slice(middleNow.length).forEach((item, index) => rows.push(plain(String(start + middleNow.length + index), item, 'removed')));
  now.slice(now.length - end).forEach((item, index) => rows.push(plain(String(now.length - end + index), item, 'same')));
  return rows.map((row) => ({ ...row, id: under(node.id, row.key) + (row.mark === 'removed' ? '~' : '') }));
}

export interface Differences { added: number; removed: number; changed: number }

/** How many places differ; what came in or went out whole counts once. */
export function differences(value: Json, before: Json): Differences {
  const found: Differences = { added: 0, removed: 0, changed: 0 };
  const walk = (node: Node) => {
    if (node.mark !== 'same') found[node.mark] += 1;
    else if (node.differs) membersOf(node).forEach(walk);
  };
  if (isBranch(value)) walk({ key: '', id: '', pointer: '', value, before, mark: 'same', differs: true });
  else if (!same(value, before)) found.changed = 1;
  return found;
}

/** What a value is, in words. */
export function kindWords(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.length === 1 ? 'list of 1' : `list of ${value.length}`;
  if (typeof value === 'object') {
    const members = Object.keys(value).length;
    return members === 1 ? '1 member' : `${members} members`;
  }
  if (typeof value === 'string') return `text, ${value.length} ${value.length === 1 ? 'character' : 'characters'}`;
  return typeof value === 'number' ? 'number' : 'boolean';
}

const MEDIA = /^(?:data:[\w/+.-]+;base64,|iVBORw0KGgo|\/9j\/|R0lGOD|JVBERi0)/;
const CUT = 160;

/** The first of a value, on one line. Media and long texts are said, not shown. */
export function preview(value: Json): string {
  if (typeof value === 'string') {
    if (value.length > 200 && MEDIA.test(value)) return `media as base64, ${value.length} characters`;
    const quoted = JSON.stringify(value.slice(0, CUT));
    return value.length > CUT ? `${quoted.slice(0, -1)}…"` : quoted;
  }
  if (isBranch(value)) return Array.isArray(value) ? (value.length === 0 ? '[ ]' : '') : Object.keys(value).length === 0 ? '{ }' : '';
  return JSON.stringify(value);
}
