/** A JSON Schema as the fields of a form. What a form cannot say stays a field of JSON text. */

import type { Json } from '../api/types';
import { isObject, type JsonObject } from '../data/json';

export type FieldKind = 'text' | 'number' | 'integer' | 'boolean' | 'choice' | 'object' | 'list' | 'json';

export interface FieldShape {
  kind: FieldKind;
  title: string | null;
  description: string | null;
  /** Its bounds in a few words. */
  bounds: string;
  schema: JsonObject;
  choices: Json[];
  /** Members of an object in the schema's order. */
  members: { name: string; required: boolean }[];
  /** Whether an object takes members the schema does not name. */
  open: boolean;
}

const text = (value: Json | undefined): string | null => (typeof value === 'string' && value !== '' ? value : null);
const numeric = (value: Json | undefined): number | null => (typeof value === 'number' ? value : null);

/** Follows `$ref` within the schema; a circle ends as any JSON. */
export function resolved(schema: Json | undefined, root: Json): JsonObject {
  let now = schema;
  for (let turn = 0; turn < 16; turn += 1) {
    if (!isObject(now)) return {};
    const reference = now['$ref'];
    if (typeof reference !== 'string') return now;
    const found = /^#\/(\$defs|definitions)\/(.+)$/.exec(reference);
    const group = found && isObject(root) ? root[found[1] ?? ''] : undefined;
    const name = (found?.[2] ?? '').replaceAll('~1', '/').replaceAll('~0', '~');
    now = isObject(group) && Object.hasOwn(group, name) ? group[name] : undefined;
  }
  return {};
}

export function shapeOf(given: Json | undefined, root: Json): FieldShape {
  const schema = resolved(given, root);
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
  const shape: FieldShape = {
    kind: 'json', title: text(schema['title']), description: text(schema['description']), bounds: boundsOf(schema), schema,
    choices: [], members: Object.keys(properties).map((name) => ({ name, required: required.has(name) })),
    open: schema['additionalProperties'] !== false,
  };
  if (Array.isArray(schema['enum'])) return { ...shape, kind: 'choice', choices: schema['enum'] };
  if ('const' in schema) return { ...shape, kind: 'choice', choices: [schema['const'] as Json] };
  if ('anyOf' in schema || 'oneOf' in schema || 'allOf' in schema) return shape;
  const type = schema['type'];
  if (type === 'object' || (type === undefined && ('properties' in schema || 'additionalProperties' in schema))) return { ...shape, kind: 'object' };
  if (type === 'array' || (type === undefined && 'items' in schema)) return 'prefixItems' in schema ? shape : { ...shape, kind: 'list' };
  if (type === 'string') return { ...shape, kind: 'text' };
  if (type === 'number' || type === 'integer' || type === 'boolean') return { ...shape, kind: type };
  return shape;
}

function boundsOf(schema: JsonObject): string {
  const parts: string[] = [];
  const range = (least: number | null, most: number | null, unit: string) => {
    if (least !== null && most !== null) parts.push(`${least} to ${most}${unit}`);
    else if (least !== null) parts.push(`at least ${least}${unit}`);
    else if (most !== null) parts.push(`at most ${most}${unit}`);
  };
  range(numeric(schema['minLength']), numeric(schema['maxLength']), ' characters');
  range(numeric(schema['minimum']), numeric(schema['maximum']), '');
  range(numeric(schema['minItems']), numeric(schema['maxItems']), ' items');
  range(numeric(schema['minProperties']), numeric(schema['maxProperties']), ' members');
  if (numeric(schema['exclusiveMinimum']) !== null) parts.push(`more than ${numeric(schema['exclusiveMinimum'])}`);
  if (numeric(schema['exclusiveMaximum']) !== null) parts.push(`less than ${numeric(schema['exclusiveMaximum'])}`);
  if (schema['type'] === 'integer') parts.push('whole number');
  const format = text(schema['format']);
  if (format) parts.push(format);
  return parts.join(', ');
}

/** The schema of a member of an object, or of an item of a list. */
export function memberSchema(shape: FieldShape, name: string): Json | undefined {
  const properties = shape.schema['properties'];
  if (isObject(properties) && Object.hasOwn(properties, name)) return properties[name];
  return shape.schema['additionalProperties'];
}

export const itemSchema = (shape: FieldShape): Json | undefined => shape.schema['items'];

/** The least value of an answer: what a person decides is left open, so that nothing is said that nobody chose. */
export function undecided(schema: Json | undefined): Json {
  const root = schema ?? {};
  const shape = shapeOf(root, root);
  const least = leastValue(root, root);
  if (shape.kind !== 'object' || least === null || typeof least !== 'object' || Array.isArray(least)) return least;
  const decided = (name: string) => ['choice', 'boolean'].includes(shapeOf(memberSchema(shape, name), root).kind);
  return Object.fromEntries(Object.entries(least).filter(([name]) => !decided(name)));
}

/** The least value of a field, for one that is added: what the schema demands and no more. */
export function leastValue(schema: Json | undefined, root: Json, depth = 0): Json {
  const shape = shapeOf(schema, root);
  switch (shape.kind) {
    case 'text': return '';
    case 'number': case 'integer': return numeric(shape.schema['minimum']) ?? 0;
    case 'boolean': return false;
    case 'choice': return shape.choices[0] ?? null;
    case 'list': return [];
    case 'object': return depth > 6 ? {} : Object.fromEntries(
      shape.members.filter((member) => member.required).map((member) => [member.name, leastValue(memberSchema(shape, member.name), root, depth + 1)]));
    case 'json': return null;
  }
}
