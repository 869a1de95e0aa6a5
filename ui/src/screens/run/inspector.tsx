/** What a stop holds: its values with what changed since the stop before, its expressions, and a new one to try on the same values. */

import { useMemo, useState } from 'react';
import { useStudio } from '../../api/react';
import { wordsOf } from '../../api/transport';
import type { Json } from '../../api/types';
import type { InputDetail, Stop } from '../../api/workflow';
import { Band, Blank, Button, SignMark, TabPanel, Tabs, cx, partStyles } from '../../app/parts';
import { differences } from '../../data/json';
import { JsonTree } from '../../data/tree';
import { amount } from '../../words/time';
import { differencesWords } from '../../words/view';
import { outcomeSign } from '../../words/workflow';
import type { Place } from './stops';
import { valuesOf } from './stops';
import styles from './workflow.module.css';

type Tab = 'values' | 'expressions' | 'record';

interface Props { run: string; detail: InputDetail | null; place: Place; stop: Stop | null; before: Stop | null }

export function Inspector({ run, detail, place, stop, before }: Props) {
  const [tab, setTab] = useState<Tab>('values');
  const values = useMemo(() => (stop ? valuesOf(stop) : null), [stop]);
  const earlier = useMemo(() => (before ? valuesOf(before) : null), [before]);
  const changed = useMemo(() => (values && earlier ? differences(values, earlier) : null), [values, earlier]);
  if (!detail) return null;
  if (!stop || !values) return <Blank icon="quiet" title="No step came to a stop here">The input was taken and nothing followed from it at once.</Blank>;
  const wrong = stop.expressions.filter((one) => one.error !== undefined).length;
  return (
    <div className={styles.inspector}>
      <div className={styles.stopHead}>
        <SignMark sign={outcomeSign(stop.outcome)} look="chip" />
        <b>{stop.name}</b>
        <span>{stop.run > 1 ? `run ${amount(stop.run)} of it` : ''}</span>
        <span className={styles.changes} role="status">{changed === null ? '' : differencesWords(changed)}</span>
      </div>
      <Tabs label="About this stop" idBase="stop" chosen={tab} choose={(id) => setTab(id as Tab)} tabs={[
        { id: 'values', title: 'Values' }, { id: 'expressions', title: 'Expressions', note: stop.expressions.length > 0 ? stop.expressions.length : undefined, tone: wrong > 0 ? 'bad' : undefined }, { id: 'record', title: 'Input taken' },
      ]} />
      <TabPanel idBase="stop" chosen={tab} className={styles.inspectorPanel}>
        {tab === 'values' && <JsonTree value={values} {...(earlier === null ? {} : { before: earlier })} reveal label="Values at this stop" />}
        {tab === 'expressions' && <Expressions key={`${place.position}.${place.stop}`} run={run} place={place} stop={stop} />}
        {tab === 'record' && <JsonTree value={detail.input} label="The input that was taken" />}
      </TabPanel>
    </div>
  );
}

function Expressions({ run, place, stop }: { run: string; place: Place; stop: Stop }) {
  const studio = useStudio();
  const [text, setText] = useState('');
  const [came, setCame] = useState<{ value: Json } | { error: string } | null>(null);
  const [busy, setBusy] = useState(false);
  const evaluate = async () => {
    if (text.trim() === '' || busy) return;
    setBusy(true);
    try {
      const answer = await studio.evaluate(run, place.position, place.stop, text);
      setCame(answer.error !== undefined ? { error: answer.error } : { value: answer.value ?? null });
    } catch (error) { setCame({ error: wordsOf(error) }); }
    setBusy(false);
  };
  return (
    <div className={styles.expressions}>
      <form className={styles.evaluate} onSubmit={(event) => { event.preventDefault(); void evaluate(); }}>
        <input className={cx(partStyles.input, partStyles.code)} aria-label="An expression over these values" placeholder="$data" value={text} spellCheck={false} autoComplete="off" onChange={(event) => setText(event.target.value)} />
        <Button type="submit" why={text.trim() === '' ? 'Write an expression over the values of this stop.' : undefined}>Evaluate</Button>
      </form>
      <div role="status" className={styles.came}>
        {came && ('error' in came ? <Band tone="bad" role="note" inset>{came.error}</Band> : <Value value={came.value} />)}
      </div>
      {stop.expressions.length === 0 && came === null && <p className={styles.none}>This step evaluated no expression here. One that you write reads the values recorded, and changes nothing.</p>}
      <ul>
        {stop.expressions.map((one) => (
          <li key={one.pointer}>
            <p className={styles.where} title={one.pointer}>{one.pointer.startsWith(`${stop.reference}/`) ? one.pointer.slice(stop.reference.length + 1).replaceAll('/', ' › ') : one.pointer}</p>
            <code className={styles.text}>{one.text}</code>
            {one.error !== undefined ? <p className={styles.wrong}>{one.error}</p> : <Value value={one.value ?? null} />}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** A value in a line or a few; a large one is cut, its whole is among the values. */
function Value({ value }: { value: Json }) {
  const text = JSON.stringify(value, null, 1) ?? 'null';
  const flat = text.replace(/\n\s*/g, ' ');
  return <code className={styles.value}>{flat.length > 600 ? `${flat.slice(0, 600)}… (${amount(text.length)} characters)` : flat}</code>;
}
