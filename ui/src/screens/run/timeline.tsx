/** What ran when: a lane for the run and for each run it called, waits hatched, idle time folded. A table of the same rows for readers. */

import { memo, useCallback, useEffect, useId, useMemo, useRef, useState } from 'react';
import type { KeyboardEvent } from 'react';
import type { WorkflowRun } from '../../api/workflow';
import { at as addressAt, go } from '../../app/address';
import { Icon, ToneIcon, typeIcon, type IconName } from '../../app/icons';
import { stepTo, useWindow } from '../../list/window';
import { runSign, type Sign } from '../../words/state';
import { duration, localTime } from '../../words/time';
import { waitWords } from '../../words/workflow';
import { scaleOf, type Scale } from './scale';
import styles from './workflow.module.css';

interface Lane { key: string; icon: IconName; label: string; about: string; from: number; to: number; going: boolean; sign: Sign; waits: boolean; run?: string; reference?: string }

const time = (iso: string | null | undefined, otherwise: number): number => { const at = iso ? Date.parse(iso) : NaN; return Number.isNaN(at) ? otherwise : at; };

function lanesOf({ run, children, waits }: WorkflowRun, now: number): Lane[] {
  const end = time(run.finished_at, now);
  const own: Lane = { key: 'run', icon: 'workflow', label: 'This run', about: run.name, from: time(run.started_at, now), to: end, going: run.status === 'started', sign: runSign(run.status, run.rejection), waits: false };
  const called = children.map((child, at): Lane => ({
    key: `${child.run_id}-${at}`, icon: typeIcon(child.type), label: child.reference.split('/').at(-1) ?? child.name, about: child.name, from: time(child.started_at, now), to: time(child.finished_at, end), going: child.status === 'started',
    sign: runSign(child.status), waits: child.type === 'interaction', run: child.run_id, reference: child.reference,
  }));
  const open = waits.filter((wait) => wait.for !== 'call').map((wait, at): Lane => ({
    key: `wait-${at}`, icon: wait.for === 'event' ? 'ear' : 'clock', label: wait.name, about: waitWords(wait), from: called.at(-1)?.to ?? own.from, to: end, going: true, waits: true,
    sign: { tone: 'info', word: 'waits', sentence: waitWords(wait) }, reference: wait.reference,
  }));
  return [own, ...called, ...open];
}

export const Timeline = memo(function Timeline({ shown, choose }: { shown: WorkflowRun; choose: (reference: string) => void }) {
  const id = useId();
  const [now, setNow] = useState(() => Date.now());
  const going = shown.run.status === 'started';
  useEffect(() => {
    if (!going) return;
    const timer = setInterval(() => setNow(Date.now()), 5000);
    return () => clearInterval(timer);
  }, [going]);
  const lanes = useMemo(() => lanesOf(shown, Math.max(now, Date.now())), [shown, now]);
  const scale = useMemo(() => scaleOf(lanes.flatMap((lane) => [lane.from, lane.to])), [lanes]);
  const { scroller, onScroll, first, end, row: height, show, places, order } = useWindow(lanes.length, 30);
  const [chosen, setChosen] = useState(0);

  const take = (to: number) => {
    const lane = lanes[to];
    if (!lane) return;
    setChosen(to);
    show(to);
    if (lane.reference !== undefined) choose(lane.reference);
  };
  const openLane = (lane: Lane | undefined) => { if (lane?.run !== undefined) go(addressAt('run', [lane.run])); };
  const newest = useRef({ take, openLane, lanes });
  useEffect(() => { newest.current = { take, openLane, lanes }; });
  const press = useCallback((at: number) => newest.current.take(at), []);
  const openAt = useCallback((at: number) => newest.current.openLane(newest.current.lanes[at]), []);
  const key = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === 'Enter') { event.preventDefault(); openLane(lanes[chosen]); return; }
    const to = stepTo(event.key, chosen, lanes.length, 12);
    if (to === null) return;
    event.preventDefault();
    take(to);
  };
  return (
    <div ref={scroller} className={styles.timeline} onScroll={onScroll}>
      <div className={styles.lanes} role="grid" aria-label="Timeline of the run" tabIndex={0} aria-rowcount={lanes.length + 1} aria-colcount={3} aria-activedescendant={chosen >= first && chosen < end ? `${id}-${chosen}` : undefined} onKeyDown={key}>
        <div role="row" aria-rowindex={1} className={styles.laneHead}>
          <span role="columnheader">Step</span>
          <span role="columnheader" className={styles.axis}><span>{localTime(shown.run.started_at)}</span><span>{going ? 'now' : localTime(shown.run.finished_at)}</span></span>
          <span role="columnheader" className={styles.took}>Took</span>
        </div>
        <div role="rowgroup" style={{ height: lanes.length * height, position: 'relative' }}>
          {order.map((at) => {
            const lane = lanes[at];
            return lane !== undefined && <LaneRow key={at % places} id={`${id}-${at}`} at={at} lane={lane} scale={scale} height={height} chosen={at === chosen} press={press} open={openAt} />;
          })}
        </div>
      </div>
    </div>
  );
});

interface LaneProps { id: string; at: number; lane: Lane; scale: Scale; height: number; chosen: boolean; press: (at: number) => void; open: (at: number) => void }

/** Its element is kept while lanes scroll through it, as a table's row is. */
const LaneRow = memo(function LaneRow({ id, at, lane, scale, height, chosen, press, open }: LaneProps) {
  return (
    <div id={id} role="row" aria-rowindex={at + 2} aria-selected={chosen} className={styles.lane} data-chosen={chosen || undefined}
      style={{ transform: `translateY(${at * height}px)`, height }} onClick={() => press(at)} onDoubleClick={() => open(at)}>
      <span role="gridcell" className={styles.laneName} title={`${lane.label}: ${lane.about}`}><Icon name={lane.icon} /><b>{lane.label}</b><span>{lane.about === lane.label ? '' : lane.about}</span></span>
      <span role="gridcell" className={styles.track}><Bar lane={lane} scale={scale} /></span>
      <span role="gridcell" className={styles.took}><span className="visually-hidden">{lane.sign.word}, from {localTime(new Date(lane.from).toISOString())}, </span>{lane.going ? `${duration(lane.to - lane.from)} so far` : duration(lane.to - lane.from)}</span>
    </div>
  );
});

function Bar({ lane, scale }: { lane: Lane; scale: Scale }) {
  const left = scale.at(lane.from) * 100;
  const width = Math.max(0, scale.at(lane.to) * 100 - left);
  return (
    <>
      {scale.folds.map((fold) => <i key={fold.from} className={styles.fold} style={{ left: `${fold.left * 100}%`, width: `${(fold.right - fold.left) * 100}%` }} title={`${duration(fold.to - fold.from)} without a record, folded`} />)}
      <i className={styles.bar} data-tone={lane.sign.tone} data-waits={lane.waits || undefined} data-going={lane.going || undefined} style={{ left: `${left}%`, width: `max(3px, ${width}%)` }} title={lane.sign.sentence} />
      {(lane.sign.tone === 'bad' || lane.sign.tone === 'warn') && <i className={styles.barSign} data-tone={lane.sign.tone} style={{ left: `min(calc(${left + width}% + 3px), calc(100% - 16px))` }}><ToneIcon tone={lane.sign.tone} /></i>}
    </>
  );
}
