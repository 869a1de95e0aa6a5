/** Under the editor: the text on many events, from the first, with how far it came and where it stalled next. */

import { useId } from 'react';
import type { ReactNode } from 'react';
import type { Rehearsal, RehearsalScope } from '../../api/types';
import { wordsOf } from '../../api/transport';
import { ToneIcon } from '../../app/icons';
import { Button, Loading, Meter, cx, partStyles } from '../../app/parts';
import { stallKind, type Tone } from '../../words/state';
import { amount, count } from '../../words/time';
import { progressWords, rehearsedWords, scopeWords } from '../../words/view';
import { isGoing, type Trial, type Trials } from './rehearsal';
import { SizeChart } from './size-chart';
import styles from './bench.module.css';

const TONES: Record<Rehearsal['state'], Tone> = { going: 'busy', reached_end: 'good', stalled: 'bad', stopped: 'quiet', failed: 'warn' };
const HEADS: Record<Rehearsal['state'], string> = { going: 'Folding', reached_end: 'Reached the end', stalled: 'Stalls further on', stopped: 'Stopped', failed: 'Broke off' };

export function Widen({ head, trials, text, all, why, lead, bound, shown, look }: {
  /** How the text does on the one event. */
  head: ReactNode;
  trials: Trials; text: string;
  /** How many events there are in all, when that is known. */
  all: { count: number; words: string } | null;
  /** Why many events cannot be tried now. */
  why: string | undefined;
  /** This is the next thing to do. */
  lead: boolean;
  /** The bound on a view, where the view stalled at its size. */
  bound: number | null;
  shown: 'event' | 'all'; look: (at: 'event' | 'all') => void;
}) {
  const { trial, start, stop } = trials;
  const about = useId();
  const going = isGoing(trial);
  const tried = (scope: RehearsalScope) => why ?? (going && trial?.scope === scope && trial.text === text ? 'It is being tried.' : undefined);
  const few = all !== null && all.count <= 100;
  const old = trial !== null && trial.text !== text;
  return (
    <section className={styles.widen} aria-label="On more events">
      <div className={styles.widenTop}>
        {head}
        <div className={styles.widenBar}>
          {!few && <Button why={tried('last')} onClick={() => start(text, 'last')} aria-describedby={`${about}-last`}>Try the last 100</Button>}
          <Button look={lead && !going ? 'primary' : 'usual'} why={tried('all')} onClick={() => start(text, 'all')} aria-describedby={`${about}-all`}>
            {all === null ? 'Try all events' : `Try all ${all.words}`}
          </Button>
          {going && <Button onClick={stop}>Stop</Button>}
          {trial?.answer?.state === 'reached_end' && trial.answer.view !== undefined && !old && (
            <Button aria-pressed={shown === 'all'} onClick={() => look(shown === 'all' ? 'event' : 'all')}>{shown === 'all' ? 'Show this event’s view' : 'Show the view it makes'}</Button>
          )}
        </div>
      </div>
      {trial === null ? (
        <p className={styles.said}>
          {!few && <span id={`${about}-last`}>{scopeWords('last', all)} </span>}<span id={`${about}-all`}>{scopeWords('all', all)} Nothing is recorded.</span>
        </p>
      ) : <Trialled trial={trial} old={old} bound={bound} />}
    </section>
  );
}

function Trialled({ trial, old, bound }: { trial: Trial; old: boolean; bound: number | null }) {
  const { answer, scope } = trial;
  if (trial.error !== null) return <p className={styles.said} role="status"><span className={cx(partStyles.sign, partStyles.warn)}><ToneIcon tone="warn" />Not tried</span> {wordsOf(trial.error)}</p>;
  if (trial.problems !== null) return <p className={styles.said} role="status"><span className={cx(partStyles.sign, partStyles.bad)}><ToneIcon tone="bad" />{count(trial.problems.length, 'problem')}</span> {trial.problems[0]?.message ?? 'The text has problems.'}</p>;
  if (answer === null) return <Loading what="Beginning" />;
  const { state, stalled, sizes, peak } = answer;
  // How many it will fold is known at the end; until then it is as the part read so far says.
  const known = Math.max(answer.known ?? 0, answer.read, 1);
  const most = Math.max(state === 'reached_end' || answer.read === 0 ? answer.folded : Math.round((answer.folded * known) / answer.read), answer.folded, 1);
  return (
    <div className={styles.trialled} data-old={old || undefined}>
      <p className={styles.said} role="status">
        <span className={cx(partStyles.sign, partStyles[TONES[state]])}><ToneIcon tone={TONES[state]} />{HEADS[state]}</span>{' '}
        {state === 'going' ? '' : rehearsedWords(answer)}
        {stalled && ` ${stallKind(stalled.kind).sentence}`}{old && ' That was an earlier text.'}
      </p>
      {state === 'going' && <Meter label={scope === 'last' ? 'The last 100' : 'All events'} value={answer.read} most={known} words={progressWords(answer.read, answer.known, answer.ms)} />}
      {sizes.length > 1 && (
        <div className={styles.sizes}>
          <SizeChart points={sizes} most={most} ready={answer.folded} bound={bound}
            label={`Sizes of the view: largest ${amount(peak?.bytes ?? 0)} bytes${peak ? ` after event ${amount(peak.index)}` : ''}${bound === null ? '' : `, of at most ${amount(bound)}`}`} />
        </div>
      )}
    </div>
  );
}
