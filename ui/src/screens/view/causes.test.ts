// @vitest-environment node
import { describe, expect, test } from 'vitest';
import type { Json } from '../../api/types';
import { causesOf, schemaAt } from './causes';

const event = (data: Json): Json => ({ id: '1', type: 'run_succeeded', source: '/runs/1', data });
const FOLD = 'export function fold(view: View, event: Event): View {\n';
/** The causes at a line of the fold's own, from 1. */
const tell = (text: string, line: number, data: Json) => causesOf(FOLD + text.replace(/^(?!function|\})/gm, '  '), line + 1, event(data)).map((cause) => `${cause.title}: ${cause.tell}`);

describe('what the event holds at the failing line', () => {
  test('a member that is missing, with what is there instead', () => {
    expect(tell('return event.data.output.verdict;', 1, { output_bytes: 3 })).toEqual(['A member is missing: `event.data` has no member `output`; it holds `output_bytes`.']);
    expect(tell("return event.data['amount'];", 1, {})).toEqual(['A member is missing: `event.data` has no member `amount`: it is empty.']);
    expect(tell('return event.data[2].id;', 1, [1])).toEqual(['A member is missing: `event.data` is a list of 1, so it has no item 2.']);
  });

  test('a value of another type than the line takes it for', () => {
    expect(tell('return event.data.name.slice(0, 9);', 1, { name: 12 })).toEqual(['A value of another type: `event.data.name` is the number 12, and the line reads `slice` from it.']);
    expect(tell('return event.data.output.verdict;', 1, { output: null })).toEqual(['A value of another type: `event.data.output` is null, and the line reads `verdict` from it.']);
    expect(tell('return event.data.name.slice(0, 9);', 1, { name: 'a' })).toEqual([]);
  });

  test('through the constants that stand for a place in the event', () => {
    const text = "const output = event.data as { output: { all: string[] } };\nif (output.output.all.every((one) => one === '')) return view;";
    expect(tell(text, 2, { output: { all: 'none' } })).toEqual(['A value of another type: `event.data.output.all` is the text "none", and the line reads `every` from it.']);
    expect(tell(text, 2, { output: { all: [] } })).toEqual([]);
    expect(tell("const page = (event.data as { page: string }).page;\nreturn page.toLowerCase();", 2, { path: '/' })).toEqual(['A member is missing: `event.data` has no member `page`; it holds `path`.']);
  });

  test('and through nothing that could be something else', () => {
    expect(tell('const data = other.data;\nreturn data.name.slice();', 2, {})).toEqual([]);
    expect(tell('const data = event.data ?? {};\nreturn data.name.slice();', 2, {})).toEqual([]);
    expect(tell('const data = event.data;\nreturn view.all.map((data) => data.name.slice());', 2, {})).toEqual([]);
    expect(tell('const data = event.data;\n}\nfunction other(data: Json) {\nreturn data.name.slice();', 4, {})).toEqual([]);
    expect(causesOf('function fold(view: View, entry: Event) {\nreturn entry.data.name;', 2, event({})).map((cause) => cause.title)).toEqual(['A member is missing']);
  });

  test('a text that names what every object inherits', () => {
    expect(tell('return [...view[campaign]];', 1, { campaign: 'constructor' })[0]).toContain('`event.data.campaign` is `constructor`, which every object inherits.');
  });

  test('nothing is told where nothing can be', () => {
    expect(tell('return JSON.parse(view.kept);', 1, { a: 1 })).toEqual([]);
    expect(tell('throw new Error("no");', 1, { a: 1 })).toEqual(['Thrown on purpose: The line throws by itself. Return `view` as it is for such an event, or let a filter pass it over.']);
    expect(causesOf('one line', null, event({}))).toEqual([]);
    expect(causesOf('one line', 9, event({}))).toEqual([]);
  });
});

test('what the schema wants at a place', () => {
  const schema: Json = { type: 'object', properties: { 'a/b': { type: 'array', items: { type: 'string' } } }, additionalProperties: { type: 'integer' } };
  expect(schemaAt(schema, '')).toBe(schema);
  expect(schemaAt(schema, '/a~1b/3')).toEqual({ type: 'string' });
  expect(schemaAt(schema, '/other')).toEqual({ type: 'integer' });
  expect(schemaAt(schema, '/other/deep')).toBeUndefined();
  expect(schemaAt({ prefixItems: [{ const: 1 }], items: { const: 2 } }, '/0')).toEqual({ const: 1 });
  expect(schemaAt(true, '/x')).toBeUndefined();
});
