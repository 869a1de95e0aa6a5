/** What the formats say about their keys, for completion and hover. The judge is the runtime; this only names. */

export interface FormatKey {
  /** The line of the format about it. */
  says: string;
  /** What is written for it when it is chosen. */
  writes?: string;
  under?: Readonly<Record<string, FormatKey>>;
  /** Its members are a JSON Schema's. */
  schema?: true;
  /** It is a list of these. */
  items?: Readonly<Record<string, FormatKey>>;
}

type Keys = Readonly<Record<string, FormatKey>>;

const DESCRIPTION: FormatKey = { says: 'Optional; 1 to 1,000 characters, for the person who will read it.', writes: 'description: ' };
const LANGUAGE: FormatKey = { says: 'Required; typescript, the playbook’s one language.', writes: 'language: typescript' };
const INPUT: FormatKey = { says: 'What a run is given.', writes: 'input:\n  schema:\n    ', under: { schema: { says: 'Optional; a JSON Schema of a run’s input. A run given no input runs with {}.', schema: true } } };
const OUTPUT: FormatKey = { says: 'What a run gives.', writes: 'output:\n  schema:\n    ', under: { schema: { says: 'Optional; a JSON Schema of a run’s output. An output that does not match it ends the run as a conflict.', schema: true } } };

const FILTER: Keys = {
  type: { says: 'Required; an event of exactly this type, such as run_succeeded.' },
  source: { says: 'Optional; exactly this source.' },
  subject: { says: 'Optional; exactly this subject, such as computation/review-brief for the runs of one function.' },
  caller: { says: 'Optional; who acted: a caller’s id, or playbook: and an id.' },
  definitionversion: { says: 'Optional; the version of the definition, a whole number from 1.' },
  depth: { says: 'Optional; how many reactions are above the run, a whole number from 1.' },
  calldepth: { says: 'Optional; how many calls are above the run, a whole number from 1.' },
  calledby: { says: 'Optional; the id of the run whose call started the run.' },
  triggerkind: { says: 'Optional; event, cron or every.' },
  triggerreference: { says: 'Optional; where the trigger is in its workflow’s document.' },
  data: { says: 'Optional; data equal to this value, or an expression over $data that holds, such as \'${ $data.revenue > 100 }\'.' },
};

const KEYS: Readonly<Record<string, Keys>> = {
  computation: { description: DESCRIPTION, language: LANGUAGE, input: INPUT, output: OUTPUT },
  recall: {
    description: DESCRIPTION,
    language: LANGUAGE,
    source: { says: 'Which events the fold takes.', writes: 'source:\n  events:\n    - type: ', under: { events: { says: 'Required; 1 to 8 filters. An event is folded when it matches any of them, and once only.', items: FILTER } } },
    view: {
      says: 'What the view holds, and what it begins with.',
      writes: 'view:\n  initial: {}\n  schema:\n    ',
      under: {
        initial: { says: 'Optional; the view before any event, any JSON value; null when left out.' },
        schema: { says: 'Optional; a JSON Schema the view must match after every fold. Bound it: a view may take 524,288 bytes.', schema: true },
      },
    },
    input: INPUT,
    output: OUTPUT,
  },
  interaction: {
    description: DESCRIPTION,
    to: { says: 'Required; a template of the party that is asked, such as \'{{ input.owner }}\'. The inbox can be filtered by it.', writes: 'to: \'{{ input.owner }}\'' },
    from: { says: 'Optional; a template of the party whose reply counts; the party that is asked, unless given.' },
    expires: { says: 'Required; how long a request stays open: PT1M to P30D, such as P2D for two days.', writes: 'expires: P2D' },
    input: INPUT,
    output: { says: 'What the answer looks like.', writes: 'output:\n  schema:\n    ', under: { schema: { says: 'A JSON Schema of the answer. Without it nobody is asked.', schema: true } } },
  },
};

/** The keywords of a schema that every schema of a document may use. */
const SCHEMA: Keys = {
  type: { says: 'string, number, integer, boolean, null, array or object; or a list of these.' },
  description: { says: 'What it is, for the person who reads the overview.' },
  properties: { says: 'The members of an object, each with its schema.' },
  required: { says: 'The members an object must have.' },
  additionalProperties: { says: 'A schema for members that are not named, true, or false for none.' },
  minProperties: { says: 'The fewest members.' },
  maxProperties: { says: 'The most members. Bound the view with it.' },
  items: { says: 'The schema of each item of a list.' },
  prefixItems: { says: 'The schemas of the first items of a list, in order.' },
  minItems: { says: 'The fewest items.' },
  maxItems: { says: 'The most items. Bound the view with it.' },
  uniqueItems: { says: 'Whether no two items may be equal.' },
  minLength: { says: 'The fewest characters of a text.' },
  maxLength: { says: 'The most characters of a text. Bound the view with it.' },
  minimum: { says: 'The least number.' },
  maximum: { says: 'The greatest number.' },
  exclusiveMinimum: { says: 'A number that must be exceeded.' },
  exclusiveMaximum: { says: 'A number that must not be reached.' },
  multipleOf: { says: 'A number that must divide it.' },
  enum: { says: 'The values that are allowed; a union in the module’s types.' },
  const: { says: 'The one value that is allowed.' },
  format: { says: 'date, date-time, time, email, uri or uuid; checked when a run checks its input and output.' },
  anyOf: { says: 'At least one of these schemas; a union in the module’s types.' },
  oneOf: { says: 'Exactly one of these schemas.' },
  allOf: { says: 'All of these schemas.' },
  $ref: { says: 'A definition of this schema, such as \'#/$defs/address\'.' },
  $defs: { says: 'Definitions to be named by $ref; each a type of its own for the module.' },
};

/** The events of the playbook’s own, for a filter’s type. */
export const EVENT_TYPES: Readonly<Record<string, string>> = {
  run_succeeded: 'A run ended with an output. data holds output, or output_bytes when it is too large.',
  run_rejected: 'A run was refused. data holds reason, and kind where there is one.',
  run_started: 'A run started. A fold sees no data of it.',
  run_failed: 'The runtime broke down in a run. A fold sees no data of it.',
  definition_created: 'A definition was saved for the first time.',
  definition_updated: 'A new version of a definition was saved.',
  definition_retired: 'A definition was retired.',
};

/** What `event.` offers in a fold. */
export const EVENT_FIELDS: Readonly<Record<string, string>> = {
  id: 'string', type: 'string', source: 'string; /runs/ and the run’s id, or as its publisher gave it', subject: 'string | undefined; <type>/<name> on the events of runs',
  time: 'string | undefined; when it happened', data: 'Json | undefined', specversion: 'string | undefined', datacontenttype: 'string | undefined', dataschema: 'string | undefined',
  causationid: 'string | undefined; the event this one is an effect of', correlationid: 'string | undefined; the run at the top of its chain', caller: 'string | undefined; who acted',
  definitionversion: 'number | undefined', depth: 'number | undefined', calldepth: 'number | undefined', calledby: 'string | undefined', triggerkind: 'string | undefined', triggerreference: 'string | undefined',
};

/** A step of the way to a place in the front matter: a key, or an item of a list. */
export type Step = string | '-';

/** The keys that may stand at a place, or nothing where the format has none. */
export function keysAt(type: string, path: readonly Step[]): Keys | null {
  let keys: Keys | null = KEYS[type] ?? null;
  let schema = false;
  let found: FormatKey | null = null;
  for (const [index, step] of path.entries()) {
    if (schema) {
      // Within a schema: below `properties` and the like stand names of the author's own.
      const before = path[index - 1];
      if (before === 'properties' || before === '$defs' || before === 'definitions') continue;
      if (step !== '-' && !Object.hasOwn(SCHEMA, step) && step !== 'definitions') return null;
      continue;
    }
    if (step === '-') {
      keys = found?.items ?? null;
      found = null;
      continue;
    }
    found = keys !== null && Object.hasOwn(keys, step) ? keys[step] ?? null : null;
    if (found === null) return null;
    schema = found.schema === true;
    keys = found.under ?? null;
  }
  if (!schema) return found?.items ? null : keys;
  const last = path.at(-1);
  return last === 'properties' || last === '$defs' || last === 'definitions' || last === 'required' || last === 'enum' ? null : SCHEMA;
}

/** The way to a line of the front matter by the keys above it that are indented less. */
export function pathTo(lines: readonly string[], line: number, column: number): Step[] {
  const path: Step[] = [];
  let indent = column;
  for (let at = line; at >= 0 && indent > 0; at -= 1) {
    const found = /^(\s*)(- +)?(?:(["']?)([$\w-]+)\3\s*:)?/.exec(lines[at] ?? '');
    if (!found || (lines[at] ?? '').trim() === '') continue;
    const outer = (found[1] ?? '').length;
    const own = outer + (found[2] ?? '').length;
    if (found[4] !== undefined && own < indent) {
      path.unshift(found[4]);
      indent = own;
    }
    if (found[2] !== undefined && outer < indent) {
      path.unshift('-');
      indent = outer + 1;
      // A list may stand at the indent of its own key.
      const key = lines.slice(0, at).findLastIndex((one) => new RegExp(`^\\s{0,${outer}}[$\\w-]+\\s*:\\s*$`).test(one));
      if (key >= 0) {
        const name = /^(\s*)([$\w-]+)/.exec(lines[key] ?? '');
        if (name) {
          path.unshift(name[2] ?? '');
          indent = (name[1] ?? '').length;
          at = key;
        }
      }
    }
  }
  return path;
}
