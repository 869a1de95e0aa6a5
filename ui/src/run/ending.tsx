/** How a run ended: the output as a tree, or the refusal in words. Must not know how it was started. */

import type { Json, Rejection } from '../api/types';
import { ToneIcon } from '../app/icons';
import { Blank, partStyles, cx } from '../app/parts';
import { isObject, valueAt } from '../data/json';
import { JsonTree } from '../data/tree';
import { runSign } from '../words/state';
import { bytes, count, duration } from '../words/time';
import styles from './run-it.module.css';

export function recordWords(record: Json | undefined): { label: string; words: string; title: string }[] {
  if (!isObject(record)) return [];
  const facts: { label: string; words: string; title: string }[] = [];
  const number = (key: string): number | null => { const value = valueAt(record, `/${key}`); return typeof value === 'number' ? value : null; };
  const time = number('duration_ms');
  if (time !== null) facts.push({ label: 'Time', words: duration(time), title: 'How long the program took' });
  const work = number('work');
  if (work !== null) facts.push({ label: 'Work', words: work === 0 ? 'under 1 checkpoint' : count(work, 'checkpoint'), title: 'One checkpoint is 10,000 steps of the engine; a run may spend 500' });
  const input = number('input_bytes');
  if (input !== null) facts.push({ label: 'Input', words: bytes(input), title: `${input} bytes as JSON` });
  const output = number('output_bytes');
  if (output !== null) facts.push({ label: 'Output', words: bytes(output), title: `${output} bytes as JSON` });
  const folded = valueAt(record, '/view/folded');
  if (typeof folded === 'number') facts.push({ label: 'View read', words: `after ${count(folded, 'event')}`, title: 'How many events the view had folded when it was read' });
  return facts;
}

export function RecordFacts({ record }: { record: Json | undefined }) {
  const facts = recordWords(record);
  return facts.length === 0 ? null : (
    <dl className={styles.facts}>
      {facts.map((fact) => <div key={fact.label} title={fact.title}><dt>{fact.label}</dt><dd>{fact.words}</dd></div>)}
    </dl>
  );
}

export function RejectionWords({ rejection }: { rejection: Rejection }) {
  const sign = runSign('rejected', rejection);
  return (
    <div className={styles.rejection} role="alert">
      <p className={cx(partStyles.sign, partStyles[sign.tone])}><ToneIcon tone={sign.tone} />{sign.sentence}</p>
      <p className={styles.detail}>{rejection.detail}</p>
      {rejection.kind && <p className={partStyles.note}><code>{rejection.reason}</code>, kind <code>{rejection.kind}</code>{rejection.because ? <>, because <code>{rejection.because}</code></> : null}</p>}
      {rejection.issues && rejection.issues.length > 0 && (
        <ul className={styles.issues}>
          {rejection.issues.map((issue, index) => <li key={index}><code>{issue.pointer === '' ? '(whole)' : issue.pointer}</code> {issue.detail}</li>)}
        </ul>
      )}
    </div>
  );
}

export function Output({ output }: { output: Json | undefined }) {
  if (output === undefined) return <Blank title="No output" />;
  return typeof output === 'string' && output.includes('\n')
    ? <pre className={styles.text} tabIndex={0} aria-label="Output">{output}</pre>
    : <JsonTree value={output} label="Output" />;
}
