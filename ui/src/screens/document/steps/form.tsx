/** The form of one task: its fields, and a box of YAML for each part the form does not know. */

import { Button, IconButton, cx, partStyles } from '../../../app/parts';
import { isObject, under } from '../../../data/json';
import { Choice, Labelled, TaskField, fieldKeys, problemsAt, thenOptions, useTyped, type Surroundings } from './field';
import type { FieldSpec } from './kinds';
import { formOf, valueOf } from './pieces';
import styles from './steps.module.css';

export function TaskForm({ within, place }: { within: Surroundings; place: string }) {
  const { task } = within;
  const form = formOf(task);
  const shaped = form.shaping.some((spec) => valueOf(task, spec.at) !== undefined);
  // A field keeps what is typed in it and the focus while its task gets another name; another task has fields of its own.
  const field = (spec: FieldSpec) => {
    const key = `${place} ${spec.at}`;
    if (spec.look === 'definition') return <Definition key={key} spec={spec} within={within} />;
    if (spec.look === 'cases') return <Cases key={key} spec={spec} within={within} />;
    return <TaskField key={key} spec={spec} within={within} />;
  };
  return (
    <div className={styles.fields}>
      {task.kind === '' && <p className={styles.about}>It is no one kind of step: give it one of call, set, do, for, fork, switch, try, wait, listen, emit and raise in the text.</p>}
      {form.first.map(field)}
      {form.own.map(field)}
      {form.last.map(field)}
      <details className={styles.more} open={shaped || undefined}>
        <summary>What comes in and goes on</summary>
        <div className={styles.fields}>{form.shaping.map(field)}</div>
      </details>
      {form.others.map(field)}
    </div>
  );
}

/** The function or workflow that a call runs. */
function Definition({ spec, within }: { spec: FieldSpec; within: Surroundings }) {
  const { task, act, definitions, readOnly } = within;
  const type = valueOf(task, 'with/type');
  const name = valueOf(task, 'with/name');
  const shown = typeof type === 'string' && typeof name === 'string' && type !== '' && name !== '' ? `${type}/${name}` : '';
  const known = definitions.map((one) => `${one.type}/${one.name}`);
  const options = (shown === '' || known.includes(shown) ? known : [...known, shown]).map((one) => ({ value: one, title: one }));
  const send = (next: string) => {
    const [nextType = '', nextName = ''] = next.split('/');
    return act([
      ...(nextType === type ? [] : [{ do: 'set' as const, at: `${task.pointer}/with/type`, value: nextType }]),
      ...(nextName === name ? [] : [{ do: 'set' as const, at: `${task.pointer}/with/name`, value: nextName }]),
    ]);
  };
  const problems = [...new Set(['call', 'with/type', 'with/name'].flatMap((at) => problemsAt(within.problems, `${task.pointer}/${at}`)))];
  return (
    <Labelled label={spec.label} problems={problems} refused={null}>
      {(given) => <Choice given={given} shown={shown} usual={shown === '' ? 'Choose a function or workflow' : null} options={options} readOnly={readOnly} send={send} />}
    </Labelled>
  );
}

/** The cases of a decision, in their order. */
function Cases({ spec, within }: { spec: FieldSpec; within: Surroundings }) {
  const { task, act, readOnly, others } = within;
  const given = valueOf(task, spec.at);
  const list = `${task.pointer}/${spec.at}`;
  const cases = (Array.isArray(given) ? given : []).flatMap((item) => (isObject(item) ? Object.entries(item).slice(0, 1) : []));
  const names = cases.map(([name]) => name);
  const last = cases.at(-1)?.[1];
  const fallback = isObject(last) && last['when'] === undefined;
  const add = () => {
    let count = cases.length + (fallback ? 0 : 1);
    while (names.includes(`case-${count}`)) count += 1;
    void act([{ do: 'add', list, at: fallback ? cases.length - 1 : cases.length, name: `case-${count}`, task: { when: '${ $data === null }', then: 'continue' } }]).catch(() => undefined);
  };
  return (
    <fieldset className={styles.cases}>
      <legend>{spec.label}</legend>
      {cases.map(([name, said], at) => {
        const pointer = under(`${list}/${at}`, name);
        const one = isObject(said) ? said : {};
        return (
          <div key={`${at} ${name}`} className={styles.case}>
            <div className={styles.caseHead}>
              <b>{name}</b>
              {cases.length > 1 && !readOnly && <IconButton small icon="close" label={`Take the case ${name} out`} onClick={() => void act([{ do: 'delete', task: pointer }]).catch(() => undefined)} />}
            </div>
            <CaseWhen pointer={pointer} when={typeof one['when'] === 'string' ? one['when'] : ''} within={within} />
            <Labelled label="Then" problems={problemsAt(within.problems, `${pointer}/then`)} refused={null}>
              {(props) => <Choice given={props} shown={typeof one['then'] === 'string' ? one['then'] : ''} usual={one['then'] === undefined ? 'Choose what follows' : null} options={thenOptions(others, typeof one['then'] === 'string' ? one['then'] : '')} readOnly={readOnly} send={(next) => act([{ do: 'set', at: `${pointer}/then`, value: next }])} />}
            </Labelled>
          </div>
        );
      })}
      {!readOnly && <Button icon="plus" className={styles.addCase} onClick={add}>Add a case</Button>}
    </fieldset>
  );
}

function CaseWhen({ pointer, when, within }: { pointer: string; when: string; within: Surroundings }) {
  const typed = useTyped(when, (next) => within.apply([next.trim() === '' ? { do: 'unset', at: `${pointer}/when` } : { do: 'set', at: `${pointer}/when`, value: next }]));
  return (
    <Labelled label="When" problems={problemsAt(within.problems, `${pointer}/when`)} refused={typed.refused}>
      {(given) => <input {...given} type="text" spellCheck={false} readOnly={within.readOnly} placeholder="In every other case" className={cx(partStyles.input, partStyles.code)} value={typed.value} onChange={(event) => typed.set(event.target.value)} onBlur={() => void typed.commit()} onKeyDown={fieldKeys(typed, false)} />}
    </Labelled>
  );
}
