/** A task's values and their YAML, as its form shows them. */

import type { Json } from '../../../api/types';
import type { OutlineTask } from '../../../api/workflow';
import { unitsOf } from '../../../data/bytes';
import { isObject, under, valueAt } from '../../../data/json';
import { BY_KIND, FIRST, LAST, SHAPING, type FieldSpec, type Kind } from './kinds';

/** Lines without the columns they all begin with; the first begins where its value does. */
export function dedented(text: string, from: number, to: number): string {
  const lines = text.slice(from, to).replaceAll('\r\n', '\n').split('\n');
  const start = text.lastIndexOf('\n', from - 1) + 1;
  const ownLine = text.slice(start, from).trim() === '';
  const indents = lines.slice(1).filter((line) => line.trim() !== '').map((line) => line.search(/\S/));
  const least = Math.min(...indents);
  const columns = ownLine ? Math.min(from - start, least) : least;
  return lines.map((line, at) => (at === 0 ? line : line.slice(Math.min(columns, line.search(/\S|$/))))).join('\n');
}

/** A field's YAML as its author wrote it; nothing where it is not given. */
export function writtenAt(task: OutlineTask, text: string, at: string): string {
  const span = task.fields[at];
  if (!span) return '';
  const [from = 0, to = 0] = unitsOf(text, [span.start, span.end]);
  return dedented(text, from, to);
}

export const valueOf = (task: OutlineTask, at: string): Json | undefined => valueAt(task.says, `/${at}`);

/** Whether the form can show a field: nothing around it is a value of another kind. */
function reachable(task: OutlineTask, at: string): boolean {
  const parts = at.split('/').slice(0, -1);
  return parts.every((_, index) => {
    const value = valueOf(task, parts.slice(0, index + 1).join('/'));
    return value === undefined || value === null || isObject(value);
  });
}

/** Whether a value is one that a look can hold without loss. */
function fits({ look }: FieldSpec, value: Json | undefined): boolean {
  if (value === undefined || look === 'yaml') return true;
  if (look === 'cases') return Array.isArray(value) && value.every((item) => isObject(item) && Object.keys(item).length === 1 && Object.values(item).every((one) => isObject(one) && Object.keys(one).every((key) => key === 'when' || key === 'then') && (one['when'] === undefined || typeof one['when'] === 'string')));
  if (look === 'number') return typeof value === 'number';
  if (look === 'check') return typeof value === 'boolean';
  if (typeof value !== 'string') return false;
  return look === 'then' || look === 'definition' || !value.includes('\n');
}

/** A field as YAML, where its own look cannot hold what it says. */
const asYaml = (task: OutlineTask) => (spec: FieldSpec): FieldSpec => (fits(spec, valueOf(task, spec.at)) ? spec : { ...spec, look: 'yaml' });

export interface Form { first: FieldSpec[]; own: FieldSpec[]; last: FieldSpec[]; shaping: FieldSpec[]; others: FieldSpec[] }

/** The fields of a task's form, and a box of YAML for whatever it says besides. */
export function formOf(task: OutlineTask): Form {
  const shown = (specs: readonly FieldSpec[]) => specs.filter((spec) => reachable(task, spec.at)).map(asYaml(task));
  const own = task.kind === '' ? [] : BY_KIND[task.kind as Kind];
  const form = { first: shown(FIRST), own: shown(own ?? []), last: shown(LAST), shaping: shown(SHAPING) };
  // The form of a call says type and name at once.
  const known = new Set([...form.first, ...form.own, ...form.last, ...form.shaping].flatMap((spec) => (spec.at === 'with/name' ? ['with/name', 'with/type'] : [spec.at])));
  if (task.kind === 'call' && valueOf(task, 'call') === 'run_definition') known.add('call');
  const others: FieldSpec[] = [];
  const walk = (value: Json, at: string) => {
    if (known.has(at)) return;
    const deeper = [...known].some((one) => one.startsWith(`${at}/`));
    if (deeper && isObject(value)) {
      for (const [key, member] of Object.entries(value)) walk(member, under(at, key));
      return;
    }
    others.push({ at, label: at.replaceAll('/', ' › ').replaceAll('~1', '/').replaceAll('~0', '~'), look: 'yaml' });
  };
  if (isObject(task.says)) for (const [key, member] of Object.entries(task.says)) walk(member, under('', key).slice(1));
  return { ...form, others };
}
