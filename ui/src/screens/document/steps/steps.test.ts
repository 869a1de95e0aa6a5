import { describe, expect, test } from 'vitest';
import type { OutlineTask, WorkflowOutline } from '../../../api/workflow';
import { besides, destinations, freeName, listsIn, moveBy, sameTask, standingOf } from './outline';
import { dedented, formOf, writtenAt } from './pieces';

const task = (pointer: string, kind: string, says: OutlineTask['says'] = {}, fields: OutlineTask['fields'] = {}): OutlineTask =>
  ({ pointer, name: standingOf(pointer).name, kind, number: '1', whole: { start: 0, end: 0 }, key: { start: 0, end: 0 }, fields, says });

const OUTLINE: WorkflowOutline = { tasks: [
  task('/do/0/a', 'set'),
  task('/do/1/b', 'try'),
  task('/do/1/b/try/0/c', 'call'),
  task('/do/1/b/catch/do/0/d', 'set'),
  task('/do/2/e~1f', 'do'),
  task('/do/2/e~1f/do/0/g', 'set'),
] };

describe('where tasks stand', () => {
  test('a task has a list, a place and a name', () => {
    expect(standingOf('/do/2/e~1f')).toEqual({ list: '/do', at: 2, name: 'e/f' });
    expect(listsIn(task('/do/1/b', 'try')).map((one) => one.list)).toEqual(['/do/1/b/try', '/do/1/b/catch/do']);
  });

  test('a move goes over the neighbour, and ends at the end of the list', () => {
    expect(moveBy(OUTLINE, '/do/0/a', -1)).toBeNull();
    expect(moveBy(OUTLINE, '/do/0/a', 1)).toEqual({ do: 'move', task: '/do/0/a', list: '/do', at: 2 });
    expect(moveBy(OUTLINE, '/do/1/b', -1)).toEqual({ do: 'move', task: '/do/1/b', list: '/do', at: 0 });
    expect(moveBy(OUTLINE, '/do/2/e~1f', 1)).toBeNull();
  });

  test('a task can leave the one around it, and enter its neighbours', () => {
    expect(destinations(OUTLINE, '/do/1/b/try/0/c').map((one) => one.title)).toEqual(['Out of b, before it', 'Out of b, after it', 'In b, after an error']);
    expect(destinations(OUTLINE, '/do/0/a').map((one) => one.operation)).toEqual([
      { do: 'move', task: '/do/0/a', list: '/do/1/b/try', at: 0 },
      { do: 'move', task: '/do/0/a', list: '/do/1/b/catch/do', at: 0 },
    ]);
  });

  test('once a task is gone, the one beside it is chosen', () => {
    expect(besides(OUTLINE, '/do/1/b')).toBe('/do/0/a');
    expect(besides(OUTLINE, '/do/0/a')).toBe('/do/0/b');
    expect(besides(OUTLINE, '/do/2/e~1f/do/0/g')).toBe('/do/2/e~1f');
  });

  test('a task that moved is found by its name', () => {
    expect(sameTask(OUTLINE, '/do/0/a')).toBe('/do/0/a');
    expect(sameTask(OUTLINE, '/do/1/a')).toBe('/do/0/a');
    expect(sameTask(OUTLINE, '/do/0/g')).toBe('/do/2/e~1f/do/0/g');
    expect(sameTask(OUTLINE, '/do/0/z')).toBeNull();
    expect(freeName(['wait', 'wait-2'], 'wait')).toBe('wait-3');
  });
});

describe('what a form shows', () => {
  test('lines lose the columns they share', () => {
    const text = 'with:\n    input:\n      a: 1\n\n      b:\n        - 2\n    c: |\n      x\n        y\n';
    expect(dedented(text, text.indexOf('a: 1'), text.indexOf('\n    c:'))).toBe('a: 1\n\nb:\n  - 2');
    expect(dedented(text, text.indexOf('|'), text.length - 1)).toBe('|\nx\n  y');
    expect(dedented('a: { b: 1 }', 3, 11)).toBe('{ b: 1 }');
    expect(dedented('a:\r\n  b: 1\r\n  c: 2\r\n', 6, 18)).toBe('b: 1\nc: 2');
  });

  test('places count bytes', () => {
    expect(writtenAt(task('/do/0/a', 'set', {}, { set: { start: 5, end: 7 } }), 'é: [ü]', 'set')).toBe('ü');
    expect(writtenAt(task('/do/0/a', 'set'), 'text', 'set')).toBe('');
  });

  test('what the form has no field for is a box of YAML', () => {
    const form = formOf(task('/do/0/a', 'call', { call: 'run_definition', with: { type: 'recall', name: 'b', more: 1 }, metadata: { x: 1 }, timeout: 'short', then: 'end' }));
    expect(form.own.map((spec) => spec.at)).toEqual(['with/name', 'with/input']);
    expect(form.others.map((spec) => [spec.at, spec.look])).toEqual([['with/more', 'yaml'], ['metadata', 'yaml'], ['timeout', 'yaml']]);
    // Beneath a value of another kind there is nothing to set.
    expect(form.last.map((spec) => spec.at)).toEqual(['then']);
  });

  test('a value that its field cannot hold is YAML', () => {
    const look = (kind: string, says: OutlineTask['says'], at: string) => [...formOf(task('/do/0/a', kind, says)).first, ...formOf(task('/do/0/a', kind, says)).own].find((spec) => spec.at === at)?.look;
    expect(look('set', { if: true, set: 1 }, 'if')).toBe('yaml');
    expect(look('set', { if: '$data', set: 1 }, 'if')).toBe('code');
    expect(look('switch', { switch: [{ a: { when: 'x', then: 'end' } }] }, 'switch')).toBe('cases');
    expect(look('switch', { switch: [{ a: { when: 'x', other: 1 } }] }, 'switch')).toBe('yaml');
    expect(look('try', { catch: { errors: { with: { status: '${ 1 }' } } } }, 'catch/errors/with/status')).toBe('yaml');
  });

  test('a step of no kind is all boxes', () => {
    expect(formOf(task('/do/0/a', '', { call: 'x', set: 1 })).others.map((spec) => spec.at)).toEqual(['call', 'set']);
  });
});
