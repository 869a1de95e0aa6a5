// @vitest-environment node
import { describe, expect, test } from 'vitest';
import type { Json } from '../api/types';
import { isBranch, membersOf, preview, same, under, valueAt, withValue, type Node } from './json';

const differences = (before: Json, after: Json): string[] => {
  const found: string[] = [];
  const walk = (node: Node) => {
    if (node.mark !== 'same') { found.push(`${node.mark} ${node.pointer}`); return; }
    if (isBranch(node.value)) membersOf(node).forEach(walk);
  };
  walk({ key: '', id: '', pointer: '', value: after, before, mark: 'same', differs: true });
  return found;
};

describe('what differs between two values', () => {
  test('names what came, went and changed', () => {
    expect(differences({ a: 1, b: 2, c: { d: [1] } }, { a: 1, b: 3, c: { d: [1, 2] }, e: null })).toEqual(['changed /b', 'added /c/d/1', 'added /e']);
    expect(differences({ a: 1, b: 2 }, { b: 2 })).toEqual(['removed /a']);
  });

  test('a list that drops its first and takes one at its end marks only these', () => {
    expect(differences([1, 2, 3, 4], [2, 3, 4, 5])).toEqual(['removed /0', 'added /3']);
  });

  test('keys that every object inherits are entries of their own', () => {
    const after = JSON.parse('{"constructor": 1, "__proto__": 2}') as Json;
    expect(differences({}, after)).toEqual(['added /constructor', 'added /__proto__']);
  });

  test('every row of a difference has an id of its own', () => {
    const rows = membersOf({ id: '', pointer: '', value: { a: 1, b: 2 }, before: { b: 1, c: 3 }, mark: 'same' });
    expect(new Set(rows.map((row) => row.id)).size).toBe(rows.length);
  });
});

describe('setting a value by its pointer', () => {
  test('keeps every other key, in its order', () => {
    expect(JSON.stringify(withValue({ a: 1, b: { c: 2, d: 3 }, z: 9 }, '/b/c', 5))).toBe('{"a":1,"b":{"c":5,"d":3},"z":9}');
    expect(JSON.stringify(withValue({ a: 1, b: 2 }, '/a', undefined))).toBe('{"b":2}');
    expect(withValue({ list: [1, 2, 3] }, '/list/1', undefined)).toEqual({ list: [1, 3] });
  });

  test('writes __proto__ as an own key', () => {
    const made = withValue({}, under('', '__proto__'), { polluted: true }) as object;
    expect(Object.keys(made)).toEqual(['__proto__']);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(valueAt(made as Json, '/__proto__/polluted')).toBe(true);
    expect(valueAt({}, '/constructor')).toBeUndefined();
  });

  test('keys with a slash or a tilde come back', () => {
    const pointer = under('', 'a/b~c');
    expect(pointer).toBe('/a~1b~0c');
    expect(valueAt(withValue({}, pointer, 1) as Json, pointer)).toBe(1);
  });
});

test('equal values are equal whatever the order of their keys', () => {
  expect(same({ a: 1, b: [2] }, { b: [2], a: 1 })).toBe(true);
  expect(same({ a: 1 }, { a: 1, b: 2 })).toBe(false);
  expect(same([1], { 0: 1 })).toBe(false);
});

test('long texts and media are cut with a note', () => {
  expect(preview('a'.repeat(400)).length).toBeLessThan(200);
  expect(preview(`iVBORw0KGgo${'A'.repeat(400)}`)).toBe('media as base64, 411 characters');
});
