// @vitest-environment node
import { describe, expect, test } from 'vitest';
import { inputFrom, inputOf, jsonProblem } from './input';
import { leastValue, shapeOf } from './schema';

describe('a text that is not JSON', () => {
  test('says where it stops being JSON', () => {
    expect(jsonProblem('{"a": 1}')).toBeNull();
    expect(jsonProblem('')).toBe('The text is empty. The least input is {}.');
    expect(jsonProblem('{\n  "a": 1,\n  b: 2\n}')).toBe('Line 3, column 3: this is not JSON from here on.');
    expect(jsonProblem('{"a": 1')).toBe('Line 1, column 8: the text ends too early.');
    expect(jsonProblem('{"a": 01}')).toBe('Line 1, column 8: this is not JSON from here on.');
    expect(jsonProblem('[1, 2,]')).toBe('Line 1, column 7: this is not JSON from here on.');
    expect(jsonProblem('{"a" 1}')).toBe('Line 1, column 6: this is not JSON from here on.');
    expect(jsonProblem('1 2')).toBe('Line 1, column 3: this is not JSON from here on.');
  });

  test('ten thousand brackets are only text', () => {
    expect(jsonProblem('['.repeat(10_000))).toContain('the text ends too early');
  });

  test('is kept as it is, and the last readable value beside', () => {
    const good = inputFrom({ campaign: 'spring-sale' });
    const broken = inputOf('{"campaign": ', good.lastGood);
    expect(broken).toMatchObject({ text: '{"campaign": ', value: undefined, lastGood: { campaign: 'spring-sale' } });
    expect(inputOf('{"campaign": 1}', broken.lastGood)).toMatchObject({ problem: null, value: { campaign: 1 } });
  });
});

describe('the fields of a schema', () => {
  const schema = {
    type: 'object', required: ['a', 'c'],
    properties: { a: { type: 'string', maxLength: 5 }, b: { type: 'integer' }, c: { $ref: '#/$defs/c' }, d: { anyOf: [{ type: 'string' }] } },
    $defs: { c: { type: 'object', required: ['x'], properties: { x: { enum: ['one', 'two'] } } }, loop: { $ref: '#/$defs/loop' } },
  };

  test('the least value holds what is demanded and no more', () => {
    expect(leastValue(schema, schema)).toEqual({ a: '', c: { x: 'one' } });
  });

  test('references are followed, and a circle is any JSON', () => {
    expect(shapeOf({ $ref: '#/$defs/c' }, schema).kind).toBe('object');
    expect(shapeOf({ $ref: '#/$defs/loop' }, schema).kind).toBe('json');
    expect(shapeOf({ $ref: '#/$defs/constructor' }, schema).kind).toBe('json');
  });

  test('what a form cannot say is a field of JSON', () => {
    expect(shapeOf({ anyOf: [{ type: 'string' }] }, schema).kind).toBe('json');
    expect(shapeOf(undefined, schema).kind).toBe('json');
    expect(shapeOf({ type: ['string', 'null'] }, schema).kind).toBe('json');
  });
});
