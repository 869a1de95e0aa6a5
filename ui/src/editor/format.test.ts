// @vitest-environment node
import { describe, expect, test } from 'vitest';
import { keysAt, pathTo } from './format';

const at = (text: string) => {
  const lines = text.split('\n');
  const last = lines.at(-1) ?? '';
  return pathTo(lines, lines.length - 1, /^\s*(?:- +)?/.exec(last)?.[0].length ?? 0);
};
const keys = (type: string, text: string) => Object.keys(keysAt(type, at(text)) ?? {});

describe('the keys of the format by place', () => {
  test('the way to a place is read from the keys above it', () => {
    expect(at('description: x\nsource:\n  events:\n    - type: a\n      ')).toEqual(['source', 'events', '-']);
    expect(at('source:\n  events:\n  - type: a\n    ')).toEqual(['source', 'events', '-']);
    expect(at('view:\n  schema:\n    type: object\n    properties:\n      a:\n        ')).toEqual(['view', 'schema', 'properties', 'a']);
    expect(at('view:\n  initial: {}\n')).toEqual([]);
  });

  test('each place offers its own', () => {
    expect(keys('computation', '')).toEqual(['description', 'language', 'input', 'output']);
    expect(keys('recall', '')).toContain('source');
    expect(keys('interaction', '')).toEqual(['description', 'to', 'from', 'expires', 'input', 'output']);
    expect(keys('interaction', 'output:\n  schema:\n    ')).toContain('enum');
    expect(keys('recall', 'view:\n  ')).toEqual(['initial', 'schema']);
    expect(keys('recall', 'source:\n  events:\n    - ')).toContain('subject');
    expect(keys('computation', 'input:\n  schema:\n    ')).toContain('maxItems');
    expect(keys('computation', 'input:\n  schema:\n    properties:\n      campaign:\n        ')).toContain('maxLength');
  });

  test('where the author names things, and where the format has nothing, nothing is offered', () => {
    expect(keys('computation', 'input:\n  schema:\n    properties:\n      ')).toEqual([]);
    expect(keys('computation', 'view:\n  ')).toEqual([]);
    expect(keys('recall', 'constructor:\n  ')).toEqual([]);
    expect(keys('workflow', '')).toEqual([]);
  });
});
