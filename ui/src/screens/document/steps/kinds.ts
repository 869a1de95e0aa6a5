/** The kinds of tasks: what each is named, what a new one says, and the fields of its form. The judge is the runtime. */

import type { Json } from '../../../api/types';
import type { IconName } from '../../../app/icons';

export type Kind = 'call' | 'set' | 'switch' | 'for' | 'do' | 'fork' | 'try' | 'wait' | 'listen' | 'emit' | 'raise';

export const KIND_NAMES: Readonly<Record<Kind, string>> = {
  call: 'Call', set: 'Set data', switch: 'Decision', for: 'Loop', do: 'Group', fork: 'Branches at once', try: 'Steps with recovery', wait: 'Wait', listen: 'Listen', emit: 'Emit an event', raise: 'Raise an error',
};

export const KINDS = Object.keys(KIND_NAMES) as Kind[];

export const KIND_ICONS: Readonly<Record<Kind, IconName>> = {
  call: 'play', set: 'note', switch: 'branch', for: 'loop', do: 'list', fork: 'fork', try: 'shield', wait: 'clock', listen: 'ear', emit: 'signal', raise: 'error',
};

export interface Named { type: string; name: string }

const SET: Json = { set: { value: '${ $data }' } };

/** A new task: its name, and what it says. Each passes the check as it is. */
export function startOf(kind: Kind, workflow: string, callable: Named | null): { name: string; task: Json } {
  switch (kind) {
    case 'call': return { name: callable?.name ?? 'call', task: { call: 'run_definition', with: { type: callable?.type ?? '', name: callable?.name ?? '', input: '${ $data }' } } };
    case 'set': return { name: 'set-data', task: SET };
    case 'switch': return { name: 'decide', task: { switch: [{ 'case-1': { when: '${ $data === null }', then: 'end' } }, { otherwise: { then: 'continue' } }] } };
    case 'for': return { name: 'for-each', task: { for: { each: 'item', in: '${ [1, 2, 3] }' }, do: [{ step: { set: { value: '${ $item }' } } }] } };
    case 'do': return { name: 'group', task: { do: [{ step: SET }] } };
    case 'fork': return { name: 'at-once', task: { fork: { branches: [{ one: SET }, { other: SET }] } } };
    case 'try': return { name: 'try', task: { try: [{ attempt: SET }], catch: { do: [{ recover: { set: { value: null } } }] } } };
    case 'wait': return { name: 'wait', task: { wait: 'PT1M' } };
    case 'listen': return { name: 'listen', task: { listen: { to: { one: { with: { type: 'com.example.happened' } } } } } };
    case 'emit': return { name: 'emit', task: { emit: { event: { with: { type: 'com.example.happened', source: `https://example.com/workflows/${workflow}`, data: '${ $data }' } } } } };
    case 'raise': return { name: 'fail', task: { raise: { error: { type: 'https://example.com/errors/invalid', status: 400, title: 'It cannot go on' } } } };
  }
}

/** How a field is shown: a line of text, a line of code, any YAML, a number, or a choice. */
export type Look = 'text' | 'code' | 'yaml' | 'number' | 'check' | 'then' | 'definition' | 'cases' | readonly string[];

export interface FieldSpec {
  /** Its pointer from the task, without the first slash. */
  at: string;
  label: string;
  look: Look;
  note?: string;
  /** What counts when it is left out. */
  usual?: string;
}

export const FIRST: readonly FieldSpec[] = [{ at: 'if', label: 'Only if', look: 'code', usual: 'Always' }];

export const BY_KIND: Readonly<Record<Kind, readonly FieldSpec[]>> = {
  call: [
    { at: 'with/name', label: 'Runs', look: 'definition' },
    { at: 'with/input', label: 'With the input', look: 'yaml', usual: '{}' },
  ],
  set: [{ at: 'set', label: 'Its output', look: 'yaml' }],
  switch: [{ at: 'switch', label: 'Cases, in order', look: 'cases' }],
  for: [
    { at: 'for/in', label: 'For each item of', look: 'code' },
    { at: 'for/each', label: 'Name of the item', look: 'text', usual: 'item' },
    { at: 'for/at', label: 'Name of its position', look: 'text', usual: 'index' },
    { at: 'while', label: 'As long as', look: 'code', usual: 'To the end of the list' },
  ],
  do: [],
  fork: [{ at: 'fork/compete', label: 'The first branch to finish wins, and the others are cancelled', look: 'check' }],
  try: [
    { at: 'catch/errors/with/status', label: 'Handles errors of status', look: 'number', usual: 'Any' },
    { at: 'catch/errors/with/type', label: 'Handles errors of type', look: 'text', usual: 'Any' },
    { at: 'catch/when', label: 'Only when', look: 'code', usual: 'Always' },
    { at: 'catch/exceptWhen', label: 'Except when', look: 'code', usual: 'Never' },
    { at: 'catch/as', label: 'Name of the error', look: 'text', usual: 'error' },
    { at: 'catch/retry', label: 'Tries again', look: 'yaml', usual: 'Not at all', note: 'A delay, backoff and limit, or the name of a policy in use.retries.' },
  ],
  wait: [{ at: 'wait', label: 'For how long', look: 'yaml', note: 'A duration such as PT15M or P1D, or days, hours, minutes and seconds.' }],
  listen: [
    { at: 'listen/to', label: 'For which events', look: 'yaml' },
    { at: 'listen/read', label: 'Hands on', look: ['data', 'envelope', 'raw'], usual: 'data' },
  ],
  emit: [
    { at: 'emit/event/with/type', label: 'Type of the event', look: 'text' },
    { at: 'emit/event/with/source', label: 'Where it comes from', look: 'text' },
    { at: 'emit/event/with/subject', label: 'What it is about', look: 'text', usual: 'Nothing' },
    { at: 'emit/event/with/data', label: 'Its data', look: 'yaml', usual: 'None' },
  ],
  raise: [
    { at: 'raise/error/title', label: 'What went wrong', look: 'text' },
    { at: 'raise/error/status', label: 'Status', look: 'number' },
    { at: 'raise/error/type', label: 'Type', look: 'text' },
    { at: 'raise/error/detail', label: 'More about it', look: 'text', usual: 'Nothing' },
  ],
};

export const LAST: readonly FieldSpec[] = [
  { at: 'then', label: 'Then', look: 'then' },
  { at: 'timeout/after', label: 'Time limit', look: 'text', usual: 'None', note: 'A duration such as PT5M; past it the step fails with a timeout error of status 408.' },
];

export const SHAPING: readonly FieldSpec[] = [
  { at: 'input/from', label: 'Its input', look: 'yaml', usual: 'What the step before handed on' },
  { at: 'output/as', label: 'What it hands on', look: 'yaml', usual: 'Its output' },
  { at: 'export/as', label: 'What $context becomes', look: 'yaml', usual: 'As it was' },
];
