/** What to try, by the kind of stall: from what is known of this one, and nothing made up. */

import { useMemo } from 'react';
import type { Check, Json, Refold, StallDetail } from '../../api/types';
import { Icon } from '../../app/icons';
import { Words } from '../../app/parts';
import { isBranch, isObject, kindWords } from '../../data/json';
import { stallKind } from '../../words/state';
import { amount, count, duration } from '../../words/time';
import { causesOf, schemaAt } from './causes';
import styles from './bench.module.css';

export type Stalled = Pick<StallDetail, 'event' | 'before' | 'kind' | 'error' | 'line' | 'issue' | 'largest'>;

const cut = (text: string): string => (text.length > 160 ? `${text.slice(0, 160)}…` : text);

/** How a member of its kind is bounded. */
function bounded(value: Json | undefined): string {
  if (Array.isArray(value)) return `a ${kindWords(value)}: give it \`.slice(-n)\` where the fold returns it, so that the oldest go`;
  if (typeof value === 'string') return `a ${kindWords(value)}: cut it with \`.slice(0, n)\` where the fold takes it in`;
  if (isObject(value)) return `an object of ${kindWords(value)}: keep the newest with \`Object.entries(…).slice(-n)\``;
  return 'one value';
}

export function Hints({ stall, text, check, refold, bound }: {
  stall: Stalled;
  /** The text that stalled. */
  text: string;
  check: Check; refold: Refold | null; bound: number;
}) {
  const { kind, event, before, line, issue, largest } = stall;
  const causes = useMemo(() => (kind === 'raised' ? causesOf(text, line, event) : []), [kind, text, line, event]);
  const general = stallKind(kind).hint;
  return (
    <div className={styles.hints} role="note" aria-label="What to try" tabIndex={0}>
      <Icon name="fix" />
      <div className={styles.hintWords}>
        {causes.length > 0 ? <ul>{causes.map((cause) => <li key={cause.tell}><b>{cause.title}.</b> <Words text={cause.tell} /></li>)}</ul> : <p>{general}</p>}
        {kind === 'size' && <Size before={before} largest={largest ?? []} check={check} bound={bound} />}
        {kind === 'schema' && issue && <SchemaIssue issue={issue} schema={check.view_schema} />}
        {kind === 'unfit' && issue && <p>At <code>{(issue.path ?? issue.pointer ?? '') || '(whole)'}</code> the fold returned {issue.found ?? 'what JSON cannot carry'}.</p>}
        {(kind === 'work' || kind === 'memory') && isBranch(before) && <p>The view before was {Array.isArray(before) ? `a ${kindWords(before)}` : `an object of ${kindWords(before)}`}: what walks over it grows with it.</p>}
        {(kind === 'time' || kind === 'crash') && <p>It was tried twenty times before the view stalled.{refold?.ms !== undefined ? ` Here, just now, the fold of this event took ${refold.ms < 1 ? 'under 1 ms' : duration(refold.ms)}.` : ''}</p>}
      </div>
    </div>
  );
}

/** A member smaller than this part of the bound does not fill it: there are too many of them. */
const STANDS_OUT = 1 / 4;
const LISTED = 5;

function Size({ before, largest, check, bound }: { before: Json; largest: readonly { name: string; bytes: number }[]; check: Check; bound: number }) {
  const [first] = largest;
  const known = check.largest_view;
  const stands = first !== undefined && first.bytes > bound * STANDS_OUT;
  return (
    <div className={styles.size}>
      <div>
        {stands && <p>The largest member of the view before is <code>{first.name}</code>, <Words text={bounded(isObject(before) && Object.hasOwn(before, first.name) ? before[first.name] : undefined)} />.</p>}
        {!stands && isObject(before) && <p>None of its {count(Object.keys(before).length, 'member')} stands out: there are too many. Keep the newest with <code>Object.entries(…).slice(-n)</code>.</p>}
        {Array.isArray(before) && <p>The view before is a {kindWords(before)}. Keep the newest with <code>.slice(-n)</code>.</p>}
        {known?.unbounded ? <p>Nothing bounds {known.unbounded}.</p> : known?.bytes && known.bytes > bound ? <p>The bounds in <code>view.schema</code> allow {amount(known.bytes)} bytes{known.dominates ? `, most of it ${known.dominates}` : ''}.</p> : null}
      </div>
      {largest.length > 0 && (
        <table className={styles.largest} aria-label="The largest members of the view before">
          <tbody>{largest.slice(0, LISTED).map(({ name, bytes }) => (
            <tr key={name}><th scope="row"><code>{name}</code></th><td>{count(bytes, 'byte')}</td><td aria-hidden="true"><i style={{ width: `${Math.min(100, (bytes / bound) * 100)}%` }} /></td></tr>
          ))}</tbody>
        </table>
      )}
    </div>
  );
}

function SchemaIssue({ issue, schema }: { issue: NonNullable<StallDetail['issue']>; schema: Json | null }) {
  const pointer = issue.pointer ?? '';
  const wanted = schema === null ? undefined : schemaAt(schema, pointer);
  return (
    <dl className={styles.sides}>
      <dt>At</dt><dd><code>{pointer === '' ? '(whole)' : pointer}</code>{issue.detail ? <> <Words text={issue.detail} /></> : null}</dd>
      <dt>The fold returned</dt><dd>{typeof issue.found === 'string' ? <code>{cut(issue.found)}</code> : 'nothing'}</dd>
      {wanted !== undefined && <><dt>The schema wants</dt><dd><code>{cut(JSON.stringify(wanted))}</code></dd></>}
    </dl>
  );
}
