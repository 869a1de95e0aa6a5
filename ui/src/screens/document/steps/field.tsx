/**
 * One field of a task's form. What is typed is written into the text when the field is left, or with Enter; what is
 * refused stays typed, with the reason.
 */

import { useEffect, useId, useRef, useState } from 'react';
import type { KeyboardEvent, ReactNode } from 'react';
import { wordsOf } from '../../../api/transport';
import type { Json, Problem } from '../../../api/types';
import type { Operation, OutlineTask } from '../../../api/workflow';
import { keysPressed, runKeys } from '../../../app/commands';
import { Icon } from '../../../app/icons';
import { Words, cx, partStyles } from '../../../app/parts';
import type { FieldSpec, Named } from './kinds';
import { valueOf, writtenAt } from './pieces';
import styles from './steps.module.css';

/** Makes edits in the text; false when nothing came of them. Rejects with the reason when they are refused. */
export type Apply = (operations: readonly Operation[]) => Promise<boolean>;

export interface Surroundings {
  task: OutlineTask;
  /** The text that the task's places are of. */
  text: string;
  problems: readonly Problem[];
  /** For a field that says itself why it is refused. */
  apply: Apply;
  /** For a choice, which has no text to keep: whoever is around it says why it is refused. */
  act: Apply;
  /** The names of its list's other tasks, for `then`. */
  others: readonly string[];
  definitions: readonly Named[];
  readOnly: boolean;
}

interface Typed { value: string; refused: string | null; set: (value: string) => void; commit: () => Promise<boolean>; revert: () => void; dirty: boolean }

/** What is typed, until the text says it. */
export function useTyped(shown: string, send: (value: string) => Promise<boolean>): Typed {
  const [typed, setTyped] = useState<string | null>(null);
  const [refused, setRefused] = useState<string | null>(null);
  const now = useRef<string | null>(null);
  const sent = useRef<string | null>(null);
  now.current = typed;
  // The text says it now: what was typed has gone in, unless more was typed since.
  useEffect(() => {
    if (sent.current !== null && now.current === sent.current) { sent.current = null; setTyped(null); }
  }, [shown]);
  const commit = async (): Promise<boolean> => {
    const value = now.current;
    if (value === null || value === sent.current) return true;
    if (value === shown) { setTyped(null); setRefused(null); return true; }
    sent.current = value;
    setRefused(null);
    try {
      const changed = await send(value);
      if (!changed && now.current === value) { sent.current = null; setTyped(null); }
      return true;
    } catch (error) {
      sent.current = null;
      setRefused(wordsOf(error));
      return false;
    }
  };
  return {
    value: typed ?? shown, refused, commit, dirty: typed !== null && typed !== shown,
    set: (value) => { now.current = value; setTyped(value); },
    revert: () => { now.current = null; setTyped(null); setRefused(null); },
  };
}

/** What the keys do in a field: Enter writes one line, Escape takes back, a command's key waits for the field. */
export function fieldKeys(typed: Typed, lines: boolean) {
  return (event: KeyboardEvent<HTMLElement>) => {
    const keys = keysPressed(event.nativeEvent);
    if (event.key === 'Escape' && (typed.dirty || typed.refused !== null)) { event.preventDefault(); event.stopPropagation(); typed.revert(); }
    else if (event.key === 'Enter' && keys === 'Enter' && !lines) { event.preventDefault(); void typed.commit(); }
    else if (keys.startsWith('Mod+') && (event.key === 's' || event.key === 'Enter') && typed.dirty) {
      event.preventDefault();
      // Once the text has it.
      void typed.commit().then((done) => { if (done) setTimeout(() => runKeys(keys)); });
    }
  };
}

export function Labelled({ label, note, problems, refused, children, inline }: { label: string; note?: string | undefined; problems: readonly string[]; refused: string | null; children: (given: { id: string; 'aria-describedby': string | undefined; 'aria-invalid': boolean }) => ReactNode; inline?: boolean }) {
  const id = useId();
  const about = note !== undefined || problems.length > 0 || refused !== null ? `${id}-about` : undefined;
  const control = children({ id, 'aria-describedby': about, 'aria-invalid': problems.length > 0 || refused !== null });
  return (
    <div className={cx(styles.field, inline && styles.inline)}>
      {inline ? <>{control}<label htmlFor={id}>{label}</label></> : <><label htmlFor={id}>{label}</label>{control}</>}
      {about && (
        <div id={about} className={styles.about}>
          {refused !== null && <p className={styles.problem} role="alert"><Icon name="error" /><span><Words text={refused} /></span></p>}
          {problems.map((words) => <p key={words} className={styles.problem}><Icon name="error" /><span><Words text={words} /></span></p>)}
          {refused === null && problems.length === 0 && note}
        </div>
      )}
    </div>
  );
}

/** The problems at a field or beneath it, unless a field of its own shows them. */
export function problemsAt(problems: readonly Problem[], pointer: string): string[] {
  return problems.filter((one) => one.severity === 'error' && (one.place.pointer === pointer || one.place.pointer?.startsWith(`${pointer}/`))).map((one) => one.message);
}

const shownText = (value: Json | undefined): string => (value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value));

export function TaskField({ spec, within }: { spec: FieldSpec; within: Surroundings }) {
  const { task, text, apply, act, readOnly } = within;
  const pointer = `${task.pointer}/${spec.at}`;
  const yaml = spec.look === 'yaml';
  const value = valueOf(task, spec.at);
  const shown = yaml ? writtenAt(task, text, spec.at) : shownText(value);
  const typed = useTyped(shown, (next) => {
    if (next.trim() === '') return apply([{ do: 'unset', at: pointer }]);
    if (yaml) return apply([{ do: 'write', at: pointer, yaml: next }]);
    const number = Number(next);
    if (spec.look === 'number' && Number.isFinite(number)) return apply([{ do: 'set', at: pointer, value: number }]);
    return apply([{ do: 'set', at: pointer, value: next }]);
  });
  const problems = problemsAt(within.problems, pointer);
  if (spec.look === 'check') {
    return (
      <Labelled label={spec.label} note={spec.note} problems={problems} refused={typed.refused} inline>
        {(given) => <input {...given} type="checkbox" checked={value === true} disabled={readOnly} onChange={(event) => void act([event.target.checked ? { do: 'set', at: pointer, value: true } : { do: 'unset', at: pointer }]).catch(() => undefined)} />}
      </Labelled>
    );
  }
  if (spec.look === 'then' || Array.isArray(spec.look)) {
    const options = spec.look === 'then' ? thenOptions(within.others, shown) : (spec.look as readonly string[]).map((one) => ({ value: one, title: one }));
    const usual = spec.look === 'then' ? 'Goes on with the next step' : `${spec.usual ?? 'Not given'} (as usual)`;
    return (
      <Labelled label={spec.label} note={spec.note} problems={problems} refused={typed.refused}>
        {(given) => <Choice given={given} shown={shown} usual={usual} options={options} readOnly={readOnly} send={(next) => act([next === '' ? { do: 'unset', at: pointer } : { do: 'set', at: pointer, value: next }])} />}
      </Labelled>
    );
  }
  const shared = { value: typed.value, readOnly, spellCheck: false, placeholder: spec.usual, onBlur: () => void typed.commit() };
  return (
    <Labelled label={spec.label} note={spec.note} problems={problems} refused={typed.refused}>
      {(given) => (yaml
        ? <textarea {...given} {...shared} rows={Math.min(14, Math.max(typed.value.includes('\n') ? 2 : 1, typed.value.split('\n').length))} className={cx(partStyles.input, partStyles.code, styles.yaml)} onChange={(event) => typed.set(event.target.value)} onKeyDown={fieldKeys(typed, true)} />
        : <input {...given} {...shared} type="text" inputMode={spec.look === 'number' ? 'numeric' : 'text'} className={cx(partStyles.input, spec.look !== 'text' && partStyles.code)} onChange={(event) => typed.set(event.target.value)} onKeyDown={fieldKeys(typed, false)} />)}
    </Labelled>
  );
}

export interface Option { value: string; title: string }

/** What can follow a task; a name that no task has stays, so that it can be seen. */
export function thenOptions(others: readonly string[], shown: string): Option[] {
  const known: Option[] = [
    { value: 'continue', title: 'Goes on with the next step (continue)' },
    ...others.map((name) => ({ value: name, title: `Goes to ${name}` })),
    { value: 'exit', title: 'Leaves this list (exit)' },
    { value: 'end', title: 'Ends the run (end)' },
  ];
  return shown === '' || known.some((one) => one.value === shown) ? known : [...known, { value: shown, title: shown }];
}

/** A choice that shows what was chosen until the text says it. */
export function Choice({ given, shown, usual, options, readOnly, send }: { given: object; shown: string; usual: string | null; options: readonly Option[]; readOnly: boolean; send: (value: string) => Promise<boolean> }) {
  const [sent, setSent] = useState<string | null>(null);
  useEffect(() => setSent(null), [shown]);
  return (
    <select {...given} className={partStyles.input} value={sent ?? shown} disabled={readOnly}
      onChange={(event) => { const next = event.target.value; setSent(next); send(next).then((changed) => { if (!changed) setSent(null); }, () => setSent(null)); }}>
      {usual !== null && <option value="">{usual}</option>}
      {options.map((one) => <option key={one.value} value={one.value}>{one.title}</option>)}
    </select>
  );
}
