/**
 * The view at each of the events it folded. The thumb follows at once; the event is asked for when
 * the last one came back, and what was shown stays, dimmed, until then.
 */

import { memo, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { Latest } from '../../api/latest';
import { useQuery, useRuntime, useStudio } from '../../api/react';
import { paths, topics } from '../../api/studio';
import { wordsOf } from '../../api/transport';
import type { Scrub as Index, ScrubStep } from '../../api/types';
import { adjust, at as addressAt, format, go, here, useAddress } from '../../app/address';
import { useCommands } from '../../app/commands';
import { Band, Failure, IconButton, Loading, Meter, Time, Words, cx, partStyles } from '../../app/parts';
import { differences, isObject, keysOf } from '../../data/json';
import { JsonTree } from '../../data/tree';
import { amount, count } from '../../words/time';
import { differencesWords, growthWords, progressWords, workWords } from '../../words/view';
import { Jumps, type Said } from './jumps';
import { SizeChart } from './size-chart';
import { sizeAt, stepOf } from './sizes';
import styles from './scrub.module.css';
import view from './view.module.css';

/** While the index is built, how often it is read. */
const POLL_MS = 300;
/** New events extend the index; a busy log asks for that once a second. */
const REST_MS = 1000;
/** The address follows once the slider rests: browsers refuse an address that changes all the time. */
const ADDRESS_REST_MS = 250;
/** What comes sooner than this is not dimmed meanwhile. */
const DIM_MS = 120;

const placeOf = (text: string | undefined): number | null => (text !== undefined && /^\d{1,12}$/.test(text) ? Number(text) : null);

export default function Scrub({ name, version }: { name: string; version: number }) {
  const { store } = useRuntime();
  const path = paths.scrub(name);
  const { value: index, error } = useQuery<Index>(path, topics.views, REST_MS);
  const indexing = index?.state === 'indexing';
  useEffect(() => {
    if (!indexing) return;
    const timer = setInterval(() => void store.refresh(path), POLL_MS);
    return () => clearInterval(timer);
  }, [indexing, store, path]);
  // Another version has another history of its own.
  useEffect(() => { if (index && index.version !== version) void store.refresh(path); }, [index, version, store, path]);
  if (!index) return error ? <Failure title="The events cannot be gone through" error={error} again={() => void store.refresh(path)} /> : <Loading what="Reading the events folded" />;
  return <Shown key={index.version} name={name} index={index} />;
}

function useStep(name: string, at: number, ready: boolean): { step: ScrubStep | null; failed: unknown } {
  const studio = useStudio();
  const [held, setHeld] = useState<{ step: ScrubStep | null; failed: unknown }>({ step: null, failed: null });
  const latest = useMemo(() => new Latest<number, ScrubStep>(
    (place, signal) => studio.scrubStep(name, place, signal),
    (_, step) => setHeld({ step, failed: null }),
    (_, failed) => setHeld((before) => ({ step: before.step, failed })),
  ), [studio, name]);
  useEffect(() => () => latest.stop(), [latest]);
  useEffect(() => { if (ready) latest.want(at); }, [latest, at, ready]);
  return held;
}

/** Where the slider stands, nothing for the end: in the address once it rests, and from there when a link or a step back says so. */
function usePlace(): { wanted: number | null; move: (to: number | null) => void; leap: (to: number, from: number) => void } {
  const { fields } = useAddress();
  const asked = placeOf(fields['at']);
  const [wanted, setWanted] = useState(asked);
  const written = useRef(asked);
  useEffect(() => {
    if (asked === written.current) return;
    written.current = asked;
    setWanted(asked);
  }, [asked]);
  useEffect(() => {
    if (wanted === written.current) return;
    const timer = setTimeout(() => {
      written.current = wanted;
      adjust({ at: wanted === null ? null : String(wanted) });
    }, ADDRESS_REST_MS);
    return () => clearTimeout(timer);
  }, [wanted]);
  const leap = useCallback((to: number, from: number) => {
    // A jump is a place of its own: back leads to where it began.
    adjust({ at: String(from) });
    written.current = to;
    setWanted(to);
    const now = here();
    go({ ...now, fields: { ...now.fields, at: String(to) } });
  }, []);
  return { wanted, move: setWanted, leap };
}

function Shown({ name, index }: { name: string; index: Index }) {
  const { wanted, move, leap } = usePlace();
  const { indexed, folded, sizes, state } = index;
  // Where nothing is wanted it follows the end; while the index is built it waits where the end was.
  const end = useRef(indexed);
  if (state !== 'indexing') end.current = indexed;
  const at = Math.min(wanted ?? Math.max(end.current, Math.min(1, indexed)), indexed);
  const most = Math.max(folded, indexed, 1);
  const { step, failed } = useStep(name, at, true);
  const stale = step?.index !== at;
  const dim = useLate(stale);
  const slider = useRef<HTMLInputElement>(null);
  const [chosenKey, setChosenKey] = useState<string | null>(null);
  const [said, say] = useState<Said | null>(null);
  const to = (place: number) => {
    say(null);
    if (place >= indexed) end.current = indexed;
    move(place >= indexed ? null : Math.max(0, place));
  };
  const land = useCallback((place: number) => leap(place, at), [leap, at]);
  useCommands([
    { id: 'next-step', title: 'Next event of the view', group: 'View', keys: 'F7', why: at >= indexed ? 'This is the last one.' : undefined, run: () => to(at + 1) },
    { id: 'previous-step', title: 'Previous event of the view', group: 'View', keys: 'Shift+F7', why: at <= 0 ? 'This is before the first one.' : undefined, run: () => to(at - 1) },
  ]);
  const size = step?.index === at ? step.bytes_after : sizeAt(sizes, at);
  const keys = useMemo(() => (step && isObject(step.after) ? Object.keys(step.after).slice(0, 500) : []), [step]);
  const onChosen = useCallback((pointer: string) => setChosenKey(keysOf(pointer)[0] ?? null), []);

  return (
    <div className={styles.scrub}>
      {state === 'failed' && <Band tone="warn" role="alert"><b>Not all events can be gone through.</b> {index.detail ?? 'Folding them again broke off.'} The first {amount(indexed)} are here.</Band>}
      <div className={styles.bar}>
        <IconButton icon="left" label="The event before" title="The event before (Shift F7)" disabled={at <= 0} onClick={() => to(at - 1)} />
        <Typed at={at} most={indexed} to={to} focus={() => slider.current?.focus()} />
        <IconButton icon="right" label="The event after" title="The event after (F7)" disabled={at >= indexed} onClick={() => to(at + 1)} />
        <Jumps name={name} at={at} end={indexed} peak={index.peak ?? null} keys={keys} chosenKey={chosenKey} time={typeof step?.event?.['time'] === 'string' ? step.event['time'] : null} land={land} say={say} />
      </div>
      <div className={styles.rail}>
        <div className={styles.railChart}><SizeChart points={sizes} most={most} ready={indexed} scale={false} /></div>
        <input ref={slider} type="range" className={styles.slider} min={0} max={most} step={1} value={at} aria-label="Event"
          aria-valuetext={at === 0 ? 'Before any event' : `Event ${amount(at)} of ${amount(folded)}${size === null ? '' : `, ${count(size, 'byte')}`}`}
          onChange={(event) => to(Number(event.target.value))}
          onKeyDown={(event) => {
            if (event.altKey || event.ctrlKey || event.metaKey) return;
            const place = stepOf(event.key, at, indexed);
            if (place === null) return;
            event.preventDefault();
            to(place);
          }} />
      </div>
      <div className={styles.ends}>
        <span aria-hidden="true">before any event</span>
        <span role="status" className={styles.said} data-found={said?.found}>{said ? <Words text={said.words} /> : state === 'stalled' ? `the event after the ${amount(indexed)} folded stalled the view` : index.peak ? `largest after event ${amount(index.peak.index)}: ${count(index.peak.bytes, 'byte')}` : ''}</span>
        <span aria-hidden="true">{amount(most)}</span>
      </div>
      {state === 'indexing' && <div className={styles.progress}><Meter label="Ready to go through" value={indexed} most={most} words={progressWords(indexed, folded, 0)} /></div>}
      {failed !== null && step?.index !== at && <Band tone="warn" role="alert">{wordsOf(failed)}</Band>}
      {step
        ? <div className={styles.step} data-stale={dim || undefined} aria-busy={stale}><Step name={name} step={step} onChosen={onChosen} /></div>
        : <Loading what="Folding up to the event" />}
    </div>
  );
}

/** The number of the event, to be typed. */
function Typed({ at, most, to, focus }: { at: number; most: number; to: (place: number) => void; focus: () => void }) {
  const [text, setText] = useState<string | null>(null);
  const place = text === null ? at : Number(text.replace(/[ ,.]/g, ''));
  const wrong = text !== null && text.trim() !== '' && (!Number.isInteger(place) || place < 0 || place > most);
  const take = () => {
    if (text !== null && text.trim() !== '' && !wrong) to(place);
    setText(null);
  };
  return (
    <label className={styles.typed}>
      Event
      <input className={cx(partStyles.input, styles.number)} inputMode="numeric" value={text ?? amount(at)} aria-invalid={wrong} title={wrong ? `A number from 0 to ${amount(most)}` : 'Type a number, then Enter'}
        onFocus={(event) => event.target.select()} onChange={(event) => setText(event.target.value)} onBlur={take}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !wrong) { take(); focus(); }
          if (event.key === 'Escape' && text !== null) { event.stopPropagation(); setText(null); }
        }} />
      <span>of {amount(most)}</span>
    </label>
  );
}

/** True once something has been true for a moment. */
function useLate(now: boolean): boolean {
  const [late, setLate] = useState(false);
  useEffect(() => {
    if (!now) { setLate(false); return; }
    const timer = setTimeout(() => setLate(true), DIM_MS);
    return () => clearTimeout(timer);
  }, [now]);
  return now && late;
}

/** Drawn anew only when there is another step to draw: dragging must not wait for a big view. */
const Step = memo(function Step({ name, step, onChosen }: { name: string; step: ScrubStep; onChosen: (pointer: string) => void }) {
  const { event, after, bytes_before, bytes_after, work } = step;
  const before = step.index === 0 ? undefined : step.before;
  const changed = useMemo(() => (before === undefined ? null : differences(after, before)), [after, before]);
  const text = (key: string) => (typeof event?.[key] === 'string' ? event[key] : '');
  const run = /^\/runs\/([^/]+)$/.exec(text('source'))?.[1];
  const grown = growthWords(bytes_before, bytes_after);
  return (
    <>
      <dl className={styles.facts} aria-label="The event">
        {event === null ? <div><dt>Event</dt><dd>none: the view before any event</dd></div> : <>
          <div><dt>Type</dt><dd><code>{text('type')}</code></dd></div>
          <div><dt>Time</dt><dd>{text('time') === '' ? 'none' : <Time at={text('time')} />}</dd></div>
          <div><dt>Source</dt><dd>{run === undefined ? <code>{text('source')}</code> : <a href={format(addressAt('run', [run]))}><code>/runs/{run.slice(-8)}</code></a>}</dd></div>
          {text('subject') !== '' && <div><dt>Subject</dt><dd><code>{text('subject')}</code></dd></div>}
        </>}
      </dl>
      <div className={styles.panes}>
        <section className={view.pane} aria-label="The event">
          <div className={view.paneHead}><h2>The event</h2></div>
          {event === null ? <p className={styles.none}>The view is what <code>view.initial</code> says.</p> : <JsonTree value={event} label="The event" />}
        </section>
        <section className={view.pane} aria-label="The view after it">
          <div className={view.paneHead}><h2>{step.index === 0 ? 'The view before any event' : 'The view after it'}</h2><span role="status">{changed === null ? '' : differencesWords(changed)}</span>
            <span className={styles.numbers}>{count(bytes_after, 'byte')}{step.index > 0 && grown !== '' && <b data-grown={bytes_before !== null && bytes_after !== bytes_before ? (bytes_after > bytes_before ? 'more' : 'less') : undefined}>{grown}</b>}{typeof work === 'number' && step.index > 0 && <> · {workWords(work)} of 500</>}</span>
          </div>
          <JsonTree value={after} {...(before === undefined ? {} : { before })} reveal onChosen={onChosen} label={step.index === 0 ? `View of ${name} before any event` : `View of ${name} after the event`} />
        </section>
      </div>
    </>
  );
});
