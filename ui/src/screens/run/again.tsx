/**
 * A recorded run taken up again: forked from the input looked at, compared with what is saved now,
 * kept as a test. Nothing of it is recorded, and nobody is asked.
 */

import { useId, useRef, useState } from 'react';
import { useStudio } from '../../api/react';
import { wordsOf } from '../../api/transport';
import type { Json } from '../../api/types';
import type { AnswerSource, FirstDifference, ForkCall, ForkChoice, Forked, Replayed } from '../../api/workflow';
import { useCommands } from '../../app/commands';
import { Band, Button, Field, IconButton, SignMark, cx, partStyles } from '../../app/parts';
import { JsonTree } from '../../data/tree';
import { RejectionWords } from '../../run/ending';
import { jsonProblem } from '../../run/input';
import type { Sign } from '../../words/state';
import { amount } from '../../words/time';
import { outcomeSign } from '../../words/workflow';
import styles from './again.module.css';

type Result =
  | { kind: 'fork'; forked: Forked }
  | { kind: 'replay'; replayed: Replayed }
  | { kind: 'keep'; kept: { path: string; inputs: number } | null };

const CASE = /^[a-z0-9][a-z0-9-]{0,99}$/;

const SOURCES: Record<AnswerSource, Sign> = {
  recorded: { tone: 'quiet', word: 'Recorded', sentence: 'The answer is the one that was recorded.' },
  written: { tone: 'info', word: 'Written', sentence: 'The answer was written for this fork.' },
  live: { tone: 'good', word: 'Live', sentence: 'The call was really performed, for this fork alone.' },
  none: { tone: 'warn', word: 'No answer', sentence: 'The call has no answer; why stands beside it.' },
};

/** What is chosen for a call, before it is sent. */
interface Choice { source: ForkChoice['source']; text: string }

const keyOf = (call: ForkCall): string => `${call.reference} ${call.run}`;

/** The choices as the fork takes them; null while a written answer is no JSON. */
function choicesOf(calls: ForkCall[], chosen: ReadonlyMap<string, Choice>): ForkChoice[] | null {
  const made: ForkChoice[] = [];
  for (const call of calls) {
    const choice = chosen.get(keyOf(call));
    if (!choice) continue;
    const one = { task: call.reference, run: call.run, source: choice.source };
    if (choice.source !== 'written') made.push(one);
    else if (jsonProblem(choice.text) === null && choice.text.trim() !== '') made.push({ ...one, output: JSON.parse(choice.text) as Json });
    else return null;
  }
  return made;
}

export function Again({ id, position, inputs }: { id: string; position: number; inputs: number }) {
  const studio = useStudio();
  const [result, setResult] = useState<Result | null>(null);
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState<unknown>(null);
  const [chosen, setChosen] = useState<ReadonlyMap<string, Choice>>(new Map());
  const none = inputs === 0 ? 'The run took no input yet.' : busy ? 'It is being worked out.' : undefined;

  const ask = async (work: () => Promise<Result>) => {
    if (none !== undefined) return;
    setBusy(true);
    setFailed(null);
    try { setResult(await work()); } catch (error) { setFailed(error); }
    setBusy(false);
  };
  const fork = (at: number, calls: ForkChoice[]) => void ask(async () => ({ kind: 'fork', forked: await studio.fork(id, at, calls) }));
  const forkHere = () => { setChosen(new Map()); fork(position, []); };
  const replay = () => void ask(async () => ({ kind: 'replay', replayed: await studio.replay(id) }));
  const keep = () => { setFailed(null); setResult({ kind: 'keep', kept: null }); };
  const bar = useRef<HTMLDivElement>(null);
  /** What is closed hands the keyboard back to the button that opened it. */
  const close = () => {
    const opener = result?.kind ?? 'fork';
    setResult(null);
    setFailed(null);
    bar.current?.querySelector<HTMLElement>(`[data-opens=${opener}]`)?.focus();
  };

  useCommands([
    { id: 'run.fork', title: `Fork from input ${position}`, group: 'Run', why: none, run: forkHere },
    { id: 'run.replay', title: 'Compare the run with what is saved now', group: 'Run', why: none, run: replay },
    { id: 'run.keep', title: 'Keep the run as a test', group: 'Run', why: none, run: keep },
  ]);

  return (
    <section className={styles.again} aria-label="Take the run up again">
      <div ref={bar} className={styles.bar}>
        <Button data-opens="fork" look="plain" icon="fork" why={none} title="Goes on from this input in memory: nothing is recorded, and nobody is asked" onClick={forkHere}>Fork from here</Button>
        <Button data-opens="replay" look="plain" icon="diff" why={none} title="Gives what the run took to the version that is saved now" onClick={replay}>Compare with what is saved now</Button>
        <Button data-opens="keep" look="plain" icon="check" why={none} title="Writes a test case that replays this run" onClick={keep}>Keep as a test</Button>
        <span className={styles.busy} role="status">{busy ? 'Working it out' : ''}</span>
      </div>
      {failed !== null && <Band tone="bad" role="alert" inset actions={<Button onClick={close}>Close</Button>}>{wordsOf(failed)}</Band>}
      {result !== null && (
        <div className={styles.panel} onKeyDown={(event) => { if (event.key === 'Escape') { event.stopPropagation(); close(); } }}>
          <IconButton small icon="close" label="Close the result" className={styles.close} onClick={close} />
          {result.kind === 'replay' && <ReplayResult replayed={result.replayed} />}
          {result.kind === 'fork' && <ForkResult forked={result.forked} chosen={chosen} choose={setChosen} again={(calls) => fork(result.forked.at, calls)} busy={busy} />}
          {result.kind === 'keep' && <KeepForm key={result.kept === null ? 'asked' : 'kept'} kept={result.kept} keep={(name) => void ask(async () => ({ kind: 'keep', kept: await studio.keepRun(id, name) }))} busy={busy} />}
        </div>
      )}
    </section>
  );
}

function ReplayResult({ replayed }: { replayed: Replayed }) {
  const sign: Sign = replayed.same
    ? { tone: 'good', word: 'The same', sentence: replayed.sentence }
    : { tone: 'warn', word: 'It differs', sentence: replayed.sentence };
  return (
    <div className={styles.result} role="status">
      <p className={styles.sentence}><SignMark sign={sign} look="chip" /> {replayed.sentence}</p>
      {replayed.drifted !== null && <p className={styles.note}>From input {replayed.drifted} on this program decides otherwise than the one that recorded the run; compared is what it decides today.</p>}
      <Values difference={replayed.difference} />
    </div>
  );
}

/** What differs within a value. */
function Values({ difference }: { difference: FirstDifference | null }) {
  if (difference?.after === undefined || difference.before === undefined) return null;
  return (
    <div>
      <p className={styles.note}>What differs; what was recorded is struck out</p>
      <div className={styles.values}><JsonTree value={difference.after} before={difference.before} label="What differs" reveal /></div>
    </div>
  );
}

function ForkResult({ forked, chosen, choose, again, busy }: {
  forked: Forked; chosen: ReadonlyMap<string, Choice>; choose: (next: ReadonlyMap<string, Choice>) => void; again: (calls: ForkChoice[]) => void; busy: boolean;
}) {
  const choices = choicesOf(forked.calls, chosen);
  const events = forked.emitted.length + forked.more_emitted;
  const why = busy ? 'It is being worked out.' : choices === null ? 'A written answer is not JSON yet.' : undefined;
  return (
    <div className={styles.result}>
      <p className={styles.sentence} role="status">
        <SignMark sign={forked.same ? { tone: 'good', word: 'As recorded', sentence: forked.sentence } : { tone: 'info', word: 'Another way', sentence: forked.sentence }} look="chip" /> {forked.sentence}
      </p>
      <Values difference={forked.difference} />
      {forked.rows.length > 0 && (
        <details className={styles.did}>
          <summary>What the fork did, {forked.rows.length === 1 ? 'one input' : `${amount(forked.rows.length)} inputs`}</summary>
          <ol className={styles.rows}>
            {forked.rows.map((row) => (
              <li key={row.position}>
                <span className={styles.note}>{amount(row.position)}</span> <span>{row.summary}</span>
                {row.steps.map((step, index) => <span key={index} className={styles.step} title={step.error}>{step.name} <span>{outcomeSign(step.outcome).word}</span></span>)}
              </li>
            ))}
          </ol>
        </details>
      )}
      {forked.calls.length > 0 && (
        <form aria-label="Where the answers come from" onSubmit={(event) => { event.preventDefault(); if (why === undefined && choices !== null) again(choices); }}>
          <ul className={styles.calls}>
            {forked.calls.map((call) => <CallRow key={keyOf(call)} call={call} choice={chosen.get(keyOf(call))} choose={(next) => choose(new Map(chosen).set(keyOf(call), next))} />)}
          </ul>
          {forked.more_calls > 0 && <p className={styles.note}>{amount(forked.more_calls)} more calls are not shown.</p>}
          <Button type="submit" icon="fork" why={why}>Fork again with these answers</Button>
        </form>
      )}
      {events > 0 && <p className={styles.note}>{events === 1 ? 'One event was emitted; it reached nobody.' : `${amount(events)} events were emitted; they reached nobody.`}</p>}
      {forked.ending.rejection !== undefined && <RejectionWords rejection={forked.ending.rejection} />}
      {forked.ending.output !== undefined && (
        <div>
          <p className={styles.note}>Output of the fork</p>
          <div className={styles.values}><JsonTree value={forked.ending.output} label="Output of the fork" /></div>
        </div>
      )}
    </div>
  );
}

function CallRow({ call, choice, choose }: { call: ForkCall; choice: Choice | undefined; choose: (next: Choice) => void }) {
  const id = useId();
  const source = choice?.source ?? (call.source === 'none' ? 'recorded' : call.source);
  const output = call.answer?.cut ? undefined : call.answer?.output;
  const text = choice?.text ?? (output === undefined ? '' : JSON.stringify(output, null, 2));
  const problem = source === 'written' ? jsonProblem(text) : null;
  const name = call.run > 1 ? `${call.name}, call ${call.run}` : call.name;
  return (
    <li className={styles.call}>
      <span className={styles.callName}><b>{name}</b> <span>{call.type}/{call.definition}</span></span>
      <SignMark sign={SOURCES[call.source]} />
      <label className={styles.choice} htmlFor={id}>
        Answer
        <select id={id} className={partStyles.input} value={source} aria-label={`Where the answer of ${name} comes from`} onChange={(event) => choose({ source: event.target.value as Choice['source'], text })}>
          <option value="recorded">Recorded</option>
          <option value="written">Written</option>
          <option value="live" disabled={call.type === 'interaction'}>{call.type === 'interaction' ? 'Live: a fork asks nobody' : 'Live'}</option>
        </select>
      </label>
      {call.why !== null && <span className={styles.note}>{call.why}</span>}
      {source === 'written' && (
        <Field label={`Output of ${name}`} problem={problem ?? undefined}>
          {(given) => <textarea {...given} className={cx(partStyles.input, styles.written)} rows={4} spellCheck={false} value={text} onChange={(event) => choose({ source: 'written', text: event.target.value })} />}
        </Field>
      )}
    </li>
  );
}

function KeepForm({ kept, keep, busy }: { kept: { path: string; inputs: number } | null; keep: (name: string) => void; busy: boolean }) {
  const [name, setName] = useState('');
  const wrong = name !== '' && !CASE.test(name);
  if (kept !== null) return <p className={styles.sentence} role="status">Written to <code>{kept.path}</code>. <code>playbook test</code> replays it from now on.</p>;
  const why = busy ? 'It is being written.' : wrong || name === '' ? 'It needs a name.' : undefined;
  return (
    <form className={styles.keep} aria-label="Keep the run as a test" onSubmit={(event) => { event.preventDefault(); if (why === undefined) keep(name); }}>
      <Field label="Name of the case" problem={wrong ? '1 to 100 lowercase letters, digits and hyphens, a letter or digit first.' : undefined}
        note="It holds the run’s input and clock, the answers, events and times it took, and how it ended. Look at it before you share it.">
        {(given) => <input {...given} className={partStyles.input} value={name} autoFocus spellCheck={false} autoComplete="off" onChange={(event) => setName(event.target.value)} />}
      </Field>
      <Button type="submit" look="primary" why={why}>Keep</Button>
    </form>
  );
}
