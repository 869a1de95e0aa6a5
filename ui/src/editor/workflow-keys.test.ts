// @vitest-environment node
import { CompletionContext } from '@codemirror/autocomplete';
import { EditorState } from '@codemirror/state';
import { describe, expect, test } from 'vitest';
import { siblings, workflowCompletions } from './assist-workflow';

const TEXT = `document:
  dsl: '1.0.3'
use:
  retries:
    patient:
      delay: { seconds: 5 }
    hasty:
      limit:
        attempt: { count: 1 }
do:
  - review:
      try:
        - review-brief:
            call: run_definition
            with:
              type: reasoning
              name: §name
              input:
                brief: \${ $§data.brief }
      catch:
        errors:
          with: { status: 503 }
        retry: §retry
        do:
          - give-up:
              raise:
                error:
                  title: \${ $§caught }
      §task
  - loop:
      for:
        each: line
        in: $data.lines
      do:
        - add:
            if: $§if
            set:
              sum: $§set
            then: §inner
      then: §then
  - last:
      set: {}
`;

function at(mark: string): string[] {
  const marked = TEXT.replace(`§${mark}`, '☞');
  const text = marked.replaceAll(/§\w+/g, '');
  const pos = text.indexOf('☞');
  const state = EditorState.create({ doc: text.replace('☞', '') });
  const found = workflowCompletions(() => [{ type: 'reasoning', name: 'review-campaign-brief' }, { type: 'recall', name: 'reviews' }])(new CompletionContext(state, pos, true));
  return found?.options.map((one) => one.label) ?? [];
}

describe('completion in a workflow', () => {
  test('keys by place', () => {
    expect(at('task')).toContain('catch');
    expect(at('task')).toContain('then');
    expect(at('task')).not.toContain('document');
  });
  test('names of functions of the type beside', () => expect(at('name')).toEqual(['review-campaign-brief']));
  test('names of use', () => expect(at('retry')).toEqual(['patient', 'hasty']));
  test('tasks of the same list, and the directives', () => {
    expect(at('then')).toEqual(['continue', 'exit', 'end', 'review', 'loop', 'last']);
    expect(at('inner')).toEqual(['continue', 'exit', 'end', 'add']);
  });
  test('variables by place', () => {
    expect(at('data')).toContain('$input');
    expect(at('if')).not.toContain('$input');
    expect(at('set')).toEqual(expect.arrayContaining(['$line', '$index', '$input', '$data']));
    expect(at('caught')).toContain('$error');
    expect(at('data')).not.toContain('$error');
  });
  test('siblings skip the tasks of inner lists', () => expect(siblings(TEXT.split('\n'), TEXT.split('\n').findIndex((line) => line.includes('§then')), 6)).toEqual(['review', 'loop', 'last']));
});
