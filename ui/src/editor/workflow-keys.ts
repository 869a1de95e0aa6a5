/** What the format of workflows says about its keys and the names at each place. The judge is the runtime; this only names. */

import type { Step } from './format';

export interface Entry {
  says: string;
  /** What is written for it when it is chosen, after its indent. */
  writes?: string;
  /** What may stand beneath it. */
  under?: () => Place;
}

export interface Place {
  keys?: Readonly<Record<string, Entry>>;
  /** Its members are names of the author's own, each with this beneath. */
  named?: () => Place;
  /** It is a list of these. */
  items?: () => Place;
  /** Values that may be written here instead of keys. */
  values?: Readonly<Record<string, string>>;
  /** What else may be named here. */
  names?: 'then' | 'retry' | 'timeout' | 'error' | 'definition';
}

const DURATION: Place = { keys: { days: { says: 'Days.' }, hours: { says: 'Hours.' }, minutes: { says: 'Minutes.' }, seconds: { says: 'Seconds.' }, milliseconds: { says: 'Milliseconds.' } }, values: { PT30S: '30 seconds', PT15M: '15 minutes', PT1H: 'An hour', P1D: 'A day', P7D: 'A week' } };
const duration = (): Place => DURATION;

const ATTRIBUTES: Readonly<Record<string, Entry>> = {
  type: { says: 'The type of the event, such as com.example.brief.submitted.' },
  source: { says: 'Where the event came from.' },
  subject: { says: 'What the event is about.' },
  data: { says: 'Its data: a value, or an expression over $data that holds.', writes: "data: '${ $data }'" },
};
const filter = (): Place => ({ keys: { with: { says: 'The attributes an event must have.', writes: 'with:\n  type: ', under: () => ({ keys: ATTRIBUTES }) } } });

const ERROR: Place = {
  keys: {
    type: { says: 'A URI that names the error; nothing fetches it.' },
    status: { says: 'A whole number, such as 503. It decides how a run ends: 4xx but 408 and 429 as invalid_input, others as unavailable.' },
    title: { says: 'What went wrong, for the person who reads it.' },
    detail: { says: 'More about this one.' },
    kind: { says: "The kind of a caught error, to raise it again: '${ $error.kind }'." },
    because: { says: "Why, of a caught error, to raise it again: '${ $error.because }'." },
  },
};

const POLICY: Place = {
  keys: {
    delay: { says: 'The wait before a retry; none when left out.', writes: 'delay: { seconds: 5 }', under: duration },
    backoff: { says: 'constant, linear or exponential: how the delay grows.', writes: 'backoff: { exponential: {} }', under: () => ({ keys: { constant: { says: 'The same delay each time.', writes: 'constant: {}' }, linear: { says: 'The delay times the number of the retry.', writes: 'linear: {}' }, exponential: { says: 'Twice the delay each time.', writes: 'exponential: {}' } } }) },
    jitter: { says: 'A random duration added to each delay.', writes: 'jitter:\n  from: { seconds: 0 }\n  to: { seconds: 2 }', under: () => ({ keys: { from: { says: 'The least.', under: duration }, to: { says: 'The most.', under: duration } } }) },
    limit: {
      says: 'When to stop trying.', writes: 'limit:\n  attempt: { count: 3 }',
      under: () => ({ keys: { attempt: { says: 'Of the attempts.', writes: 'attempt: { count: 3 }', under: () => ({ keys: { count: { says: 'The most retries after the first attempt.' }, duration: { says: 'A limit for each attempt; past it a timeout error is raised.', under: duration } } }) }, duration: { says: 'No retry starts once this much time has passed.', under: duration } } }),
    },
    when: { says: 'Retry only when this holds.', writes: "when: '${ $error.status == 503 }'" },
    exceptWhen: { says: 'Retry except when this holds.', writes: "exceptWhen: '${ $error.status === 408 }'" },
  },
  names: 'retry',
};

const timeout = (): Place => ({ keys: { after: { says: 'A duration; past it a timeout error of status 408 is raised.', writes: 'after: PT1M', under: duration } }, names: 'timeout' });
const then = (): Place => ({ values: { continue: 'Runs the next task in the list, the default.', exit: 'Leaves the list; the task around it goes on.', end: 'Ends the run with the current output.' }, names: 'then' });
const tasks = (): Place => ({ items: () => ({ named: task }) });

const SHARED: Readonly<Record<string, Entry>> = {
  if: { says: 'A condition; when it does not hold, the task is skipped.', writes: "if: '${ $data }'" },
  input: { says: 'Shapes the task’s input.', writes: "input:\n  from: '${ $data }'", under: () => ({ keys: { from: { says: 'An expression or template; $data is the input the task was handed.' } } }) },
  output: { says: 'Shapes what the task hands on.', writes: "output:\n  as: '${ ({ ...$input, result: $data }) }'", under: () => ({ keys: { as: { says: 'An expression or template; $data is what the task produced, $input its input.' } } }) },
  export: { says: 'Makes $context for the tasks after it.', writes: "export:\n  as: '${ ({ ...$context, result: $data }) }'", under: () => ({ keys: { as: { says: 'An expression or template whose result is $context.' } } }) },
  timeout: { says: 'A limit for the task: after and a duration, or a name of use.timeouts.', writes: 'timeout:\n  after: PT1M', under: timeout },
  then: { says: 'What runs next: continue, exit, end, or a task of the same list.', under: then },
};

const KINDS: Readonly<Record<string, Entry>> = {
  call: {
    says: 'Runs a function or workflow of this playbook.', writes: 'call: run_definition\nwith:\n  type: \n  name: \n  input: {}',
    under: () => ({ values: { run_definition: 'The one function: runs another definition of the playbook.' } }),
  },
  with: { says: 'What a call runs, and with what input.', writes: 'with:\n  type: \n  name: ', under: () => ({ keys: {
    type: { says: 'The type of the definition.', under: () => ({ values: { reasoning: 'Asks a model', interaction: 'Asks a person or a service', prediction: 'Answers from a trained model', recall: 'Reads a view', computation: 'Works out an answer', workflow: 'Runs another workflow' } }) },
    name: { says: 'The name of the definition.', under: () => ({ names: 'definition' }) },
    input: { says: 'A template for its input; {} when left out.', writes: "input:\n  value: '${ $data }'" },
  } }) },
  set: { says: 'Makes its output from a template.', writes: "set:\n  value: '${ $data }'" },
  do: { says: 'A list of tasks, run in order.', writes: 'do:\n  - first:\n      ', under: tasks },
  switch: { says: 'Tests its cases in order and follows the first that holds.', writes: "switch:\n  - case-one:\n      when: '${ $data }'\n      then: continue", under: () => ({ items: () => ({ named: () => ({ keys: { when: { says: 'A condition. A case without one is the default.', writes: "when: '${ $data }'" }, then: { says: 'What runs next.', under: then } } }) }) }) },
  for: { says: 'Runs its do list for each item of a list.', writes: 'for:\n  each: item\n  in: $data.items\ndo:\n  - each-one:\n      ', under: () => ({ keys: { in: { says: 'An expression that gives the list.' }, each: { says: 'The name of the item, without its $; item when left out.' }, at: { says: 'The name of its position, without its $; index when left out.' } } }) },
  while: { says: 'A condition checked before each iteration.', writes: "while: '${ $data }'" },
  fork: { says: 'Starts its branches together.', writes: 'fork:\n  branches:\n    - first:\n        ', under: () => ({ keys: { branches: { says: 'Up to 32 tasks, each a branch.', under: tasks }, compete: { says: 'true hands on the output of the first branch to finish, and cancels the others.', writes: 'compete: true' } } }) },
  try: { says: 'Runs its list; its catch handles errors.', writes: 'try:\n  - attempt:\n      ', under: tasks },
  catch: {
    says: 'Which errors are handled, and how.', writes: 'catch:\n  errors:\n    with: { status: 503 }\n  do:\n    - recover:\n        ',
    under: () => ({ keys: {
      errors: { says: 'Fields that the error must equal.', writes: 'errors:\n  with: { status: 503 }', under: () => ({ keys: { with: { says: 'type, status, title, detail, kind, because or instance.', under: () => ERROR } } }) },
      as: { says: 'The name of the error, without its $; error when left out.' },
      when: { says: 'Caught only when this holds.', writes: "when: '${ $error.kind == \"requested\" }'" },
      exceptWhen: { says: 'Not caught when this holds.', writes: "exceptWhen: '${ $error.status === 408 }'" },
      retry: { says: 'A policy, or the name of one in use.retries. Give a retrying catch a do that raises an error.', under: () => POLICY },
      do: { says: 'What runs when no retry remains; its output becomes the task’s.', writes: 'do:\n  - recover:\n      ', under: tasks },
    } }),
  },
  raise: { says: 'Raises an error.', writes: 'raise:\n  error:\n    type: https://example.com/errors/\n    status: 400\n    title: ', under: () => ({ keys: { error: { says: 'An error, or the name of one in use.errors.', under: () => ({ ...ERROR, names: 'error' }) } } }) },
  wait: { says: 'Waits for a duration.', writes: 'wait: PT1M', under: duration },
  listen: { says: 'Waits for events.', writes: 'listen:\n  to:\n    one:\n      with:\n        type: ', under: () => ({ keys: {
    to: { says: 'one, any or all.', under: () => ({ keys: { one: { says: 'One event that matches.', under: filter }, any: { says: 'The first event that matches any of these.', under: () => ({ items: filter }) }, all: { says: 'One event for each of these.', under: () => ({ items: filter }) } } }) },
    read: { says: 'data, envelope or raw: what the output lists.', under: () => ({ values: { data: 'The data of each event, the default.', envelope: 'The whole events.', raw: 'The whole events.' } }) },
  } }) },
  emit: { says: 'Records an event in the playbook.', writes: 'emit:\n  event:\n    with:\n      type: \n      source: ', under: () => ({ keys: { event: { says: 'The event.', under: () => ({ keys: { with: { says: 'Its attributes; type and source are required.', under: () => ({ keys: ATTRIBUTES }) } } }) } } }) },
};

function task(): Place {
  return { keys: { ...KINDS, ...SHARED } };
}

const schema = (says: string): Entry => ({ says, writes: 'schema:\n  document:\n    type: object', under: () => ({ keys: { document: { says: 'A JSON Schema, written inline.' } } }) });

const ROOT: Place = {
  keys: {
    document: { says: 'What the document is.', writes: "document:\n  dsl: '1.0.3'\n  namespace: \n  name: \n  version: '1.0.0'", under: () => ({ keys: {
      dsl: { says: 'The version of the language, from 1.0.0 to 1.0.3.', writes: "dsl: '1.0.3'" }, namespace: { says: 'Required.' }, name: { says: 'Required.' }, version: { says: 'Required; a semantic version of the document, such as 1.0.0.', writes: "version: '1.0.0'" },
      title: { says: 'Optional; the description when there is no summary.' }, summary: { says: 'Optional; what the workflow is for, in words for the person who reads it.' },
    } }) },
    input: { says: 'What a run is given.', writes: 'input:\n  schema:\n    document:\n      type: object', under: () => ({ keys: { schema: schema('Tells callers what the workflow takes; a run is not checked against it.'), from: { says: 'An expression or template shaping the run’s input before the first task.' } } }) },
    use: { says: 'Named errors, retry policies and timeouts.', writes: 'use:\n  retries:\n    patient:\n      delay: { seconds: 5 }\n      limit:\n        attempt: { count: 3 }', under: () => ({ keys: {
      errors: { says: 'Errors that raise may name.', under: () => ({ named: () => ERROR }) }, retries: { says: 'Policies that retry may name.', under: () => ({ named: () => POLICY }) }, timeouts: { says: 'Timeouts that tasks may name.', under: () => ({ named: timeout }) },
    } }) },
    schedule: { says: 'Triggers that start it on its own.', writes: 'schedule:\n  every: PT15M', under: () => ({ keys: {
      on: { says: 'For each event that a filter matches.', writes: 'on:\n  one:\n    with:\n      type: ', under: () => ({ keys: { one: { says: 'One filter.', under: filter }, any: { says: '1 to 64 filters; any of them starts a run.', under: () => ({ items: filter }) } } }) },
      cron: { says: 'Minute, hour, day of month, month and day of week, in UTC.', writes: "cron: '0 9 * * 1-5'" },
      every: { says: 'A duration of at least a minute.', writes: 'every: PT15M', under: duration },
    } }) },
    do: { says: 'Required; the tasks, run in order.', writes: 'do:\n  - first:\n      ', under: tasks },
    output: { says: 'What a run gives.', writes: "output:\n  as: '${ $data }'", under: () => ({ keys: {
      as: { says: 'An expression or template that shapes the run’s output.' }, schema: schema('Tells callers what the workflow gives.'),
      shape: { says: 'A shape, checked when the run ends.', under: () => ({ values: { series: 'Lines of points', categories: 'Names with a number each', table: 'Columns and rows', text: 'Markdown' } }) },
    } }) },
    timeout: { says: 'A limit for the run.', writes: 'timeout:\n  after: PT1H', under: timeout },
    evaluate: { says: 'Optional; only typescript and strict.', writes: 'evaluate:\n  language: typescript\n  mode: strict', under: () => ({ keys: { language: { says: 'typescript.' }, mode: { says: 'strict.' } } }) },
  },
};

/** The place that a way leads to; null where the format says nothing. */
export function placeAt(path: readonly Step[]): Place | null {
  let now: Place | null = ROOT;
  for (const step of path) {
    if (now === null) return null;
    if (step === '-') now = now.items?.() ?? null;
    else if (now.named) now = now.named();
    else now = now.keys && Object.hasOwn(now.keys, step) ? now.keys[step]?.under?.() ?? null : null;
  }
  return now;
}

/** The line of the format about a key. */
export function saysOf(path: readonly Step[], key: string): string | undefined {
  const keys = placeAt(path)?.keys;
  return keys && Object.hasOwn(keys, key) ? keys[key]?.says : undefined;
}

const ALWAYS: Readonly<Record<string, string>> = {
  $data: 'The data of the task: its input, or what it produced in output.as',
  $context: 'What earlier tasks exported; {} until one exports',
  $task: 'name, reference, definition, input, startedAt, and output after it ran',
  $workflow: 'id, definition, input, startedAt',
  $runtime: 'name, version and metadata',
};

/** The variables an expression may read at a place, each with what it is. */
export function variablesAt(path: readonly Step[], names: { items: readonly string[]; errors: readonly string[] }): Readonly<Record<string, string>> {
  const last = path.at(-1);
  if (path.includes('schedule') || (path.includes('listen') && path.includes('with'))) return { $data: 'The data of the event, or the attribute' };
  const root = path.length <= 2 && (path[0] === 'input' || path[0] === 'output');
  if (root) return { $data: path[0] === 'input' ? 'The run’s input' : 'The output of the last task', $context: ALWAYS['$context'] ?? '', $workflow: ALWAYS['$workflow'] ?? '', $runtime: ALWAYS['$runtime'] ?? '' };
  const found: Record<string, string> = { ...ALWAYS };
  const before = last === 'if' || path.includes('timeout') || (path.at(-2) === 'input' && last === 'from');
  if (!before) found['$input'] = 'The task’s input';
  if (path.at(-2) === 'export') found['$output'] = 'The task’s output';
  for (const name of names.items) found[`$${name}`] = 'The current item of the loop, or its position';
  for (const name of names.errors) found[`$${name}`] = 'The caught error: type, status, title, detail, kind, because';
  return found;
}
