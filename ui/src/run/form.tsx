/** The form of a value, made from its schema. Every key of the value is kept, named by the schema or not. */

import { useId, useState } from 'react';
import type { ReactNode } from 'react';
import type { Issue, Json } from '../api/types';
import { Icon } from '../app/icons';
import { IconButton, cx, partStyles } from '../app/parts';
import { isObject, under, valueAt, withMember, withValue } from '../data/json';
import styles from './form.module.css';
import { jsonProblem } from './input';
import { itemSchema, leastValue, memberSchema, shapeOf, type FieldShape } from './schema';

interface Shared { root: Json; value: Json; set: (pointer: string, value: Json | undefined) => void; issues: ReadonlyMap<string, readonly string[]> }

export function SchemaForm({ schema, value, onValue, issues }: { schema: Json; value: Json; onValue: (value: Json) => void; issues: readonly Issue[] }) {
  const told = new Map<string, string[]>();
  for (const issue of issues) told.set(issue.pointer, [...(told.get(issue.pointer) ?? []), issue.detail]);
  const shared: Shared = {
    root: schema, value, issues: told,
    set: (pointer, given) => onValue(withValue(value, pointer, given) ?? {}),
  };
  return <div className={styles.form}><Value shared={shared} pointer="" schema={schema} name={null} required take={null} /></div>;
}

interface FieldProps { shared: Shared; pointer: string; schema: Json | undefined; name: string | null; required: boolean; take: (() => void) | null }

function Value(props: FieldProps) {
  const { shared, pointer, schema, name, required } = props;
  const shape = shapeOf(schema, shared.root);
  const value = valueAt(shared.value, pointer);
  if (value === undefined && name !== null) {
    return (
      <Named {...props} shape={shape} control={(id) => (
        isPlain(shape)
          ? <Plain id={id} shape={shape} value={undefined} set={(given) => shared.set(pointer, given)} required={required} />
          : <button type="button" id={id} aria-label={`Give ${name}`} className={styles.give} onClick={() => shared.set(pointer, leastValue(schema, shared.root))}><Icon name="plus" />Give {name}</button>
      )} />
    );
  }
  if (shape.kind === 'object' && isObject(value)) return <Members {...props} shape={shape} value={value} />;
  if (shape.kind === 'list' && Array.isArray(value)) return <Items {...props} shape={shape} value={value} />;
  return (
    <Named {...props} shape={shape} control={(id) => (
      isPlain(shape) && fitsPlain(shape, value)
        ? <Plain id={id} shape={shape} value={value} set={(given) => shared.set(pointer, given)} required={required} />
        : <AnyJson id={id} value={value ?? null} set={(given) => shared.set(pointer, given)} />
    )} />
  );
}

const isPlain = (shape: FieldShape): boolean => shape.kind !== 'object' && shape.kind !== 'list' && shape.kind !== 'json';

/** A value of another kind than the schema's is shown as JSON, so that nothing is hidden or bent. */
function fitsPlain(shape: FieldShape, value: Json | undefined): boolean {
  switch (shape.kind) {
    case 'text': return typeof value === 'string';
    case 'number': case 'integer': return typeof value === 'number' || typeof value === 'string';
    case 'boolean': return typeof value === 'boolean';
    case 'choice': return shape.choices.some((choice) => JSON.stringify(choice) === JSON.stringify(value));
    default: return false;
  }
}

function Named({ shared, pointer, name, required, take, shape, control }: FieldProps & { shape: FieldShape; control: (id: string) => ReactNode }) {
  const id = useId();
  const given = valueAt(shared.value, pointer) !== undefined;
  const remove = take ?? (!required && given ? () => shared.set(pointer, undefined) : null);
  return (
    <div className={styles.field}>
      {name !== null && (
        <div className={styles.name}>
          <label htmlFor={id}>{name}</label>
          {!required && <span className={styles.optional}>{given ? 'optional' : 'optional, not given'}</span>}
          {remove && <IconButton small icon="close" label={`Leave ${name} out`} onClick={remove} />}
        </div>
      )}
      {name === null && <label htmlFor={id} className="visually-hidden">Input</label>}
      {control(id)}
      <About shape={shape} />
      <Problems details={shared.issues.get(pointer)} />
    </div>
  );
}

function About({ shape }: { shape: FieldShape }) {
  const words = [shape.title, shape.description, shape.bounds].filter(Boolean).join(' · ');
  return words === '' ? null : <span className={styles.note}>{words}</span>;
}

function Problems({ details }: { details: readonly string[] | undefined }) {
  return details?.map((detail) => <span key={detail} className={styles.problem} role="alert"><Icon name="error" />{detail}</span>) ?? null;
}

function Plain({ id, shape, value, set, required }: { id: string; shape: FieldShape; value: Json | undefined; set: (value: Json | undefined) => void; required: boolean }) {
  switch (shape.kind) {
    case 'choice':
    case 'boolean': {
      const choices: Json[] = shape.kind === 'boolean' ? [true, false] : shape.choices;
      const at = choices.findIndex((choice) => JSON.stringify(choice) === JSON.stringify(value));
      return (
        <select id={id} className={partStyles.input} value={at < 0 ? '' : String(at)} onChange={(event) => set(event.target.value === '' ? undefined : choices[Number(event.target.value)])}>
          {(at < 0 || !required) && <option value="">Not given</option>}
          {choices.map((choice, index) => <option key={index} value={index}>{typeof choice === 'string' ? choice : JSON.stringify(choice)}</option>)}
        </select>
      );
    }
    case 'number':
    case 'integer': return <Numeric id={id} value={value} set={set} />;
    default: {
      const shown = typeof value === 'string' ? value : '';
      const long = shown.length > 60 || shown.includes('\n');
      const common = { id, className: partStyles.input, value: shown, placeholder: value === undefined ? 'Not given' : 'Empty text' };
      return long
        ? <textarea {...common} rows={4} onChange={(event) => set(event.target.value)} />
        : <input {...common} autoComplete="off" spellCheck={false} onChange={(event) => set(event.target.value)} />;
    }
  }
}

/** A number when the text is one; else the text itself, so that nothing typed is lost. */
export function numberFrom(text: string): Json | undefined {
  if (text === '') return undefined;
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) && Number.isFinite(Number(text)) ? Number(text) : text;
}

function Numeric({ id, value, set }: { id: string; value: Json | undefined; set: (value: Json | undefined) => void }) {
  // What is being typed stays as typed, so that `1.0` can become `1.05`.
  const [typed, setTyped] = useState<string | null>(null);
  const own = value === undefined ? '' : String(value);
  const shown = typed !== null && numberFrom(typed) === value ? typed : own;
  return (
    <>
      <input id={id} className={cx(partStyles.input, partStyles.code)} inputMode="decimal" value={shown} autoComplete="off" placeholder="Not given"
        onChange={(event) => { setTyped(event.target.value); set(numberFrom(event.target.value)); }} onBlur={() => setTyped(null)} />
      {typeof value === 'string' && <span className={styles.problem}><Icon name="error" />Not a number: it is sent as text, and refused.</span>}
    </>
  );
}

function AnyJson({ id, value, set }: { id: string; value: Json; set: (value: Json) => void }) {
  const [typed, setTyped] = useState<string | null>(null);
  const shown = typed ?? JSON.stringify(value, null, 2);
  const problem = typed === null ? null : jsonProblem(typed);
  return (
    <>
      <textarea id={id} className={cx(partStyles.input, partStyles.code)} rows={Math.min(8, shown.split('\n').length + 1)} value={shown} spellCheck={false} aria-invalid={problem !== null}
        onChange={(event) => {
          setTyped(event.target.value);
          if (jsonProblem(event.target.value) === null) set(JSON.parse(event.target.value) as Json);
        }}
        onBlur={() => { if (problem === null) setTyped(null); }} />
      {problem !== null && <span className={styles.problem}><Icon name="error" />{problem} The last value that could be read is kept.</span>}
    </>
  );
}

function Members({ shared, pointer, name, required, take, shape, value }: FieldProps & { shape: FieldShape; value: { [key: string]: Json } }) {
  const named = new Set(shape.members.map((member) => member.name));
  const others = Object.keys(value).filter((key) => !named.has(key));
  const remove = take ?? (name !== null && !required ? () => shared.set(pointer, undefined) : null);
  return (
    <fieldset className={name === null ? styles.top : styles.group} aria-label={name ?? 'Input'}>
      {name !== null && (
        <div className={styles.name}><b>{name}</b>{!required && <span className={styles.optional}>optional</span>}{remove && <IconButton small icon="close" label={`Leave ${name} out`} onClick={remove} />}</div>
      )}
      <About shape={shape} />
      <Problems details={shared.issues.get(pointer)} />
      {shape.members.map((member) => (
        <Value key={member.name} shared={shared} pointer={under(pointer, member.name)} schema={memberSchema(shape, member.name)} name={member.name} required={member.required} take={null} />
      ))}
      {others.map((key) => (
        <Value key={key} shared={shared} pointer={under(pointer, key)} schema={memberSchema(shape, key)} name={key} required={false} take={() => shared.set(pointer, withMember(value, key, undefined))} />
      ))}
      {shape.open && shape.members.length === 0 && <AddMember taken={value} add={(key) => shared.set(pointer, withMember(value, key, leastValue(shape.schema['additionalProperties'], shared.root)))} />}
    </fieldset>
  );
}

function AddMember({ taken, add }: { taken: object; add: (key: string) => void }) {
  const [key, setKey] = useState('');
  const used = Object.hasOwn(taken, key);
  const send = () => { if (key !== '' && !used) { add(key); setKey(''); } };
  return (
    <div className={styles.adding}>
      <input className={cx(partStyles.input, partStyles.code)} aria-label="Name of a member to add" placeholder="Name of a member" value={key} onChange={(event) => setKey(event.target.value)}
        onKeyDown={(event) => { if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) { event.preventDefault(); send(); } }} />
      <button type="button" className={partStyles.button} disabled={key === '' || used} onClick={send}>Add</button>
    </div>
  );
}

function Items({ shared, pointer, name, required, take, shape, value }: FieldProps & { shape: FieldShape; value: Json[] }) {
  const remove = take ?? (name !== null && !required ? () => shared.set(pointer, undefined) : null);
  const schema = itemSchema(shape);
  return (
    <fieldset className={name === null ? styles.top : styles.group} aria-label={name ?? 'Input'}>
      {name !== null && (
        <div className={styles.name}><b>{name}</b><span className={styles.optional}>{value.length === 1 ? '1 item' : `${value.length} items`}{required ? '' : ', optional'}</span>{remove && <IconButton small icon="close" label={`Leave ${name} out`} onClick={remove} />}</div>
      )}
      <About shape={shape} />
      <Problems details={shared.issues.get(pointer)} />
      {value.map((_, index) => (
        <Value key={index} shared={shared} pointer={under(pointer, index)} schema={schema} name={`${index + 1}`} required take={() => shared.set(pointer, value.toSpliced(index, 1))} />
      ))}
      <button type="button" className={styles.give} onClick={() => shared.set(pointer, [...value, leastValue(schema, shared.root)])}><Icon name="plus" />Add an item</button>
    </fieldset>
  );
}
