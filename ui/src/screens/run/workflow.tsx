/**
 * A workflow's run: how it ended or what it waits for, and a way through everything that is recorded
 * of it. Stepping is a pure read; the place looked at is in the address.
 */

import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useQuery, useRuntime, useStudio } from '../../api/react';
import { paths, topics } from '../../api/studio';
import { wordsOf } from '../../api/transport';
import type { InputDetail, InputRow, Stop, WorkflowRun } from '../../api/workflow';
import { adjust, at as addressAt, format, go, useAddress } from '../../app/address';
import { useCommands } from '../../app/commands';
import { Dialog, dialogStyles } from '../../app/dialog';
import { Id } from '../../app/id';
import { Band, Blank, Button, Failure, IconButton, Loading, SignMark, TabPanel, Tabs, Time, cx, partStyles } from '../../app/parts';
import { useWorkspace } from '../../app/workspace';
import { JsonTree } from '../../data/tree';
import { Flowchart } from '../../diagram/flowchart';
import { RangeTable } from '../../list/range-table';
import type { Column } from '../../list/table';
import { Output, RejectionWords } from '../../run/ending';
import page from '../../style/page.module.css';
import { actor, runSign } from '../../words/state';
import { amount, between, bytes, localTime, shortId } from '../../words/time';
import { inputWords, outcomeSign, triggerWords, workflowSentence, workflowSign } from '../../words/workflow';
import { Again } from './again';
import { Inspector } from './inspector';
import { Outline } from './outline';
import run from './run.module.css';
import { Inputs, next, nextChange, previous, stopAt, type Place } from './stops';
import { Timeline } from './timeline';
import styles from './workflow.module.css';

/** A busy run is read so often and no oftener, in milliseconds. */
const REST_MS = 400;
/** The address follows once the steps rest. */
const ADDRESS_REST_MS = 250;
/** While it plays, how long it stands at a step. */
const PLAY_MS = 700;

const RECORDS: readonly Column<InputRow>[] = [
  { id: 'position', title: 'No.', width: '72px', look: 'end', cell: (row) => amount(row.position) },
  { id: 'at', title: 'When', width: '132px', cell: (row) => <Time at={row.at} /> },
  { id: 'kind', title: 'Input', width: '86px', look: 'muted', cell: (row) => inputWords(row.kind) },
  { id: 'summary', title: 'What happened', width: 'minmax(220px, 1.2fr)', cell: (row) => <span title={row.summary}>{row.summary}</span> },
  { id: 'steps', title: 'Steps', width: 'minmax(180px, 1fr)', cell: (row) => (
    <span className={styles.marks}>{row.steps.slice(0, 6).map((step, index) => {
      const sign = outcomeSign(step.outcome);
      return <span key={index} className={cx(partStyles.sign, partStyles[sign.tone])} title={`${step.name}: ${sign.word}${step.waits_for ? ` for ${step.waits_for}` : ''}${step.error ? `: ${step.error}` : ''}`}>{step.name} <span className={styles.outcome}>{sign.word}</span></span>;
    })}{row.steps.length > 6 ? ` and ${row.steps.length - 6} more` : ''}</span>
  ) },
  { id: 'bytes', title: 'Size', width: '84px', look: 'end', cell: (row) => bytes(row.bytes) },
];

export default function WorkflowRunScreen({ id }: { id: string }) {
  const { store } = useRuntime();
  const path = paths.workflowRun(id);
  const read = useQuery<WorkflowRun>(path, topics.log, REST_MS);
  if (!read.value) return read.error ? <Failure title="The run cannot be read" error={read.error} again={() => void store.refresh(path)} /> : <Loading what="Reading the run" />;
  return <Shown id={id} shown={read.value} />;
}

const placeOf = (fields: Record<string, string>, total: number): Place | null => {
  const found = /^(\d{1,9})(?:\.(\d{1,5}))?$/.exec(fields['at'] ?? '');
  const position = Number(found?.[1] ?? 0);
  return position >= 1 && position <= total ? { position, stop: Number(found?.[2] ?? 0) } : null;
};

interface Seen { place: Place; detail: InputDetail; stop: Stop | null; before: Stop | null }

/** Reads the stop of a place, and the one before it; what was shown stays until then. */
function useSeen(inputs: Inputs, place: Place): { seen: Seen | null; failed: unknown } {
  const [held, setHeld] = useState<{ seen: Seen | null; failed: unknown }>({ seen: null, failed: null });
  const { position, stop } = place;
  useEffect(() => {
    let wanted = true;
    const look = async (): Promise<Seen> => {
      const asked = { position, stop };
      const detail = await inputs.get(position);
      const back = await previous(inputs, asked).catch(() => null);
      const before = back === null ? null : await stopAt(inputs, back).catch(() => null);
      return { place: asked, detail, stop: detail.stops[stop] ?? detail.stops.at(-1) ?? null, before };
    };
    look().then(
      (seen) => { if (wanted) setHeld({ seen, failed: null }); },
      (failed: unknown) => { if (wanted) setHeld((old) => ({ seen: old.seen, failed })); },
    );
    return () => { wanted = false; };
  }, [inputs, position, stop]);
  return held;
}

function Shown({ id, shown }: { id: string; shown: WorkflowRun }) {
  const studio = useStudio();
  const { fields } = useAddress();
  const total = Math.max(1, shown.inputs);
  const inputs = useMemo(() => new Inputs((position) => studio.input(id, position)), [studio, id]);
  const [wanted, setWanted] = useState<Place | null>(() => placeOf(fields, total));
  const stepping = wanted !== null;
  // Where nothing is wanted it follows the end.
  const place = useMemo((): Place => wanted ?? { position: total, stop: Number.MAX_SAFE_INTEGER }, [wanted, total]);
  const { seen, failed } = useSeen(inputs, place);
  const [chosen, setChosen] = useState<string | null>(null);
  const [said, say] = useState('');
  const [playing, setPlaying] = useState(false);
  const [drawn, setDrawn] = useState(true);
  const [cancelling, setCancelling] = useState(false);
  const show = (['steps', 'timeline', 'records', 'ending', 'input'] as const).find((one) => one === fields['show']) ?? 'steps';

  useEffect(() => {
    const timer = setTimeout(() => adjust({ at: wanted === null ? null : wanted.stop === 0 ? String(wanted.position) : `${wanted.position}.${wanted.stop}` }), ADDRESS_REST_MS);
    return () => clearTimeout(timer);
  }, [wanted]);

  const here = useRef(place);
  const detail = seen?.detail ?? null;
  here.current = { position: place.position, stop: detail && seen?.place.position === place.position ? Math.min(place.stop, Math.max(0, detail.stops.length - 1)) : place.stop };
  const to = useCallback((place: Place | null) => { setWanted(place); setChosen(null); say(''); }, []);
  const turn = useRef(0);
  /** A move is worked out from what is recorded; a later key wins over an earlier one. */
  const step = useCallback((move: () => Promise<Place | null>, none: string) => {
    turn.current += 1;
    const mine = turn.current;
    move().then(
      (found) => { if (mine === turn.current) { if (found) to(found); else { setPlaying(false); say(none); } } },
      (error: unknown) => { if (mine === turn.current) { setPlaying(false); say(wordsOf(error)); } },
    );
  }, [to]);
  const goNext = useCallback(() => step(() => next(inputs, here.current, total), 'This is the last step recorded.'), [step, inputs, total]);
  const goBack = useCallback(() => step(() => previous(inputs, here.current), 'This is the first step.'), [step, inputs]);
  const goChange = () => step(async () => {
    const { place: found, searched } = await nextChange(inputs, here.current, total);
    if (!searched) say('No change so far; press again to search on.');
    return found;
  }, 'Nothing changes after this step.');

  useEffect(() => {
    if (!playing) return;
    const timer = setInterval(goNext, PLAY_MS);
    return () => clearInterval(timer);
  }, [playing, goNext]);

  const first = () => to({ position: 1, stop: 0 });
  const leave = () => { setPlaying(false); to(null); };
  useCommands([
    { id: 'run.start', title: 'Step through from the start', group: 'Run', keys: 'F5', run: first },
    { id: 'run.leave', title: 'Leave stepping', group: 'Run', keys: 'Shift+F5', why: stepping ? undefined : 'Nothing is stepped through.', run: leave },
    { id: 'run.next', title: 'Next step of the run', group: 'Run', keys: 'F7', run: goNext },
    { id: 'run.previous', title: 'Previous step of the run', group: 'Run', keys: 'Shift+F7', run: goBack },
    { id: 'run.change', title: 'Next step that changed data', group: 'Run', keys: 'Mod+F7', run: goChange },
    { id: 'run.drawing', title: drawn ? 'Hide the drawing' : 'Show the drawing beside', group: 'Run', keys: 'Mod+Shift+G', run: () => setDrawn(!drawn) },
    { id: 'run.cancel', title: 'Cancel the run', group: 'Run', why: shown.run.status === 'started' ? undefined : 'It has ended.', run: () => setCancelling(true) },
  ]);

  const lit = useMemo(() => {
    const found = new Set(detail?.lit ?? []);
    const chart = shown.flowchart;
    if (!chart || found.size === 0) return found;
    // Its trigger started it, and its end is reached once it succeeded and the last step is looked at.
    for (const node of chart.nodes) if (node.kind === 'trigger' && (shown.trigger ? node.reference === shown.trigger.reference : !node.reference)) found.add(node.reference ?? node.id);
    if (shown.run.status === 'succeeded' && detail?.position === total) for (const node of chart.nodes) if (node.kind === 'end') found.add(node.id);
    return found;
  }, [detail, shown, total]);
  const current = seen?.stop?.reference ?? null;
  const choose = useCallback((reference: string | null) => {
    setChosen(reference);
    if (reference === null || !detail) return;
    const found = detail.stops.findLastIndex((one) => one.reference === reference);
    if (found >= 0) setWanted({ position: detail.position, stop: found });
  }, [detail]);
  const fetch = useCallback(async (from: number, limit: number, signal: AbortSignal) => {
    const answer = await studio.inputs(id, from + 1, limit, signal);
    return { total: answer.total, rows: answer.rows };
  }, [studio, id]);

  return (
    <div className={page.page}>
      <Head shown={shown} cancel={() => setCancelling(true)} />
      {cancelling && <Cancel id={id} name={shown.run.name} close={() => setCancelling(false)} />}
      <div className={styles.transport} role="group" aria-label="Step through the run">
        <IconButton icon="first" label="To the first step" title="To the first step (F5)" onClick={first} />
        <IconButton icon="left" label="The step before" title="The step before (Shift F7)" onClick={goBack} />
        <IconButton icon={playing ? 'pause' : 'play'} label={playing ? 'Pause' : 'Play'} aria-pressed={playing} onClick={() => { if (!stepping) first(); setPlaying(!playing); }} />
        <IconButton icon="right" label="The step after" title="The step after (F7)" onClick={goNext} />
        <IconButton icon="last" label="To the end" title="To the end (Shift F5)" onClick={leave} />
        <Typed position={place.position} total={total} to={(position) => to({ position, stop: 0 })} />
        {detail && detail.stops.length > 1 && <span className={styles.stopCount}>step {Math.min(here.current.stop, detail.stops.length - 1) + 1} of {detail.stops.length}</span>}
        <Button look="plain" icon="diff" title="Next step that changed data (Ctrl F7)" onClick={goChange}>Next change</Button>
        <span className={styles.said} role="status">{said !== '' ? said : stepping ? `Looking at ${detail ? localTime(detail.at) : 'a step'}. Nothing runs: this is what was recorded.` : shown.run.status === 'started' ? 'Follows the run.' : 'At its end.'}</span>
        {stepping && <Button onClick={leave}>Leave</Button>}
      </div>
      {failed !== null && <Band tone="warn" role="alert">{wordsOf(failed)}</Band>}
      <Again key={id} id={id} position={place.position} inputs={shown.inputs} />
      <div className={styles.body} data-drawn={drawn || undefined}>
        <div className={styles.main}>
          <Tabs label="The run" idBase="run" chosen={show} choose={(next) => adjust({ show: next === 'steps' ? null : next })} tabs={[
            { id: 'steps', title: 'Steps' }, { id: 'timeline', title: 'Timeline' }, { id: 'records', title: 'Records', note: amount(shown.inputs) },
            { id: 'ending', title: shown.run.status === 'succeeded' ? 'Output' : 'Ending' }, { id: 'input', title: 'Input' },
          ]} />
          <TabPanel idBase="run" chosen={show} className={page.fill}>
            {show === 'steps' && (shown.flowchart
              ? <Outline chart={shown.flowchart} lit={lit} stops={detail?.stops ?? NO_STOPS} waits={stepping ? NO_WAITS : shown.waits} children={shown.children} chosen={chosen ?? current} choose={choose} />
              : <Blank title="The steps of this version are not kept">Its records are under Records.</Blank>)}
            {show === 'timeline' && <Timeline shown={shown} choose={setChosen} />}
            {show === 'records' && <RangeTable<InputRow> label="Records of the run" source={id} total={shown.inputs} fetch={fetch} columns={RECORDS} chosen={place.position - 1} choose={(at) => to({ position: at + 1, stop: 0 })} />}
            {show === 'ending' && <Ending shown={shown} />}
            {show === 'input' && <JsonTree value={shown.input} label="Input of the run" />}
          </TabPanel>
        </div>
        <aside className={styles.beside} aria-label="The step looked at">
          {drawn && shown.flowchart && (
            <div className={styles.drawing}><Flowchart chart={shown.flowchart} label={`Steps of ${shown.run.name}, with the way it went`} chosen={chosen} choose={choose} open={() => go(addressAt('document', ['workflow', shown.run.name]))} lit={lit} current={current} /></div>
          )}
          <div className={styles.looked} aria-busy={seen === null || undefined}>
            {seen ? <Inspector run={id} detail={seen.detail} place={{ position: seen.detail.position, stop: seen.stop ? seen.detail.stops.indexOf(seen.stop) : 0 }} stop={seen.stop} before={seen.before} /> : failed === null ? <Loading what="Reading the step" /> : null}
          </div>
        </aside>
      </div>
    </div>
  );
}

const NO_STOPS: never[] = [];
const NO_WAITS: never[] = [];

function Head({ shown, cancel }: { shown: WorkflowRun; cancel: () => void }) {
  const { run: it, waits } = shown;
  return (
    <header className={run.head}>
      <div className={styles.headLine}>
        <SignMark sign={workflowSign(it, waits, runSign(it.status, it.rejection))} look="chip" />
        <h1>{workflowSentence(shown)}</h1>
        {it.status === 'started' && <Button look="danger" onClick={cancel}>Cancel</Button>}
      </div>
      <dl className={run.facts}>
        <div><dt>Run</dt><dd><Id id={it.run_id} what="run" /></dd></div>
        <div><dt>Definition</dt><dd><a href={format(addressAt('document', ['workflow', it.name]))}>workflow/{it.name}</a>, version {it.definition_version}{shown.newest_version !== null && shown.newest_version > it.definition_version ? ` (newest is ${shown.newest_version})` : ''}</dd></div>
        <div><dt>Started</dt><dd><Time at={it.started_at} /></dd></div>
        <div><dt>Took</dt><dd>{it.finished_at ? between(it.started_at, it.finished_at) : 'goes on'}</dd></div>
        <div><dt>By</dt><dd>{shown.trigger ? triggerWords(shown.trigger.kind) : shown.parent ? <>the run <a href={format(addressAt('run', [shown.parent.run_id]))}>{shortId(shown.parent.run_id)}</a></> : actor(it.started_by)}</dd></div>
        {waits.flatMap((wait) => (wait.child ? [<div key={wait.child}><dt>Waits for</dt><dd><a href={format(addressAt('run', [wait.child]))}>{wait.name}</a></dd></div>] : [])).slice(0, 3)}
      </dl>
    </header>
  );
}

function Ending({ shown }: { shown: WorkflowRun }) {
  const { run: it } = shown;
  switch (it.status) {
    case 'succeeded': return <div className={run.column}><Output output={it.output} /></div>;
    case 'rejected': return <div className={page.scroll}>{it.rejection ? <RejectionWords rejection={it.rejection} /> : <Blank title="No words were kept" />}</div>;
    case 'failed': return <div><Band tone="bad" role="note">The runtime itself broke down while it ran. That is our mistake, not the document’s; the runtime’s log has the incident.</Band></div>;
    case 'started': return <Blank icon="clock" title="It has not ended">{shown.waits.length === 0 ? 'It goes on. This page follows it.' : 'It waits, and uses nothing meanwhile. This page follows it.'}</Blank>;
  }
}

function Typed({ position, total, to }: { position: number; total: number; to: (position: number) => void }) {
  const [text, setText] = useState<string | null>(null);
  const asked = text === null ? position : Number(text.replace(/[ ,.]/g, ''));
  const wrong = text !== null && text.trim() !== '' && (!Number.isInteger(asked) || asked < 1 || asked > total);
  const take = () => { if (text !== null && text.trim() !== '' && !wrong) to(asked); setText(null); };
  return (
    <label className={styles.typed}>
      Input
      <input className={cx(partStyles.input, styles.number)} inputMode="numeric" value={text ?? amount(position)} aria-invalid={wrong} title={wrong ? `A number from 1 to ${amount(total)}` : 'Type a number, then Enter'}
        onFocus={(event) => event.target.select()} onChange={(event) => setText(event.target.value)} onBlur={() => setText(null)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !wrong) { take(); event.currentTarget.blur(); }
          if (event.key === 'Escape' && text !== null) { event.stopPropagation(); setText(null); }
        }} />
      <span>of {amount(total)}</span>
    </label>
  );
}

function Cancel({ id, name, close }: { id: string; name: string; close: () => void }) {
  const { folder } = useWorkspace();
  const studio = useStudio();
  const [why, setWhy] = useState('');
  const [failed, setFailed] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const send = async () => {
    if (busy) return;
    setBusy(true);
    try {
      await studio.cancel(folder.playbook.id, id, why.trim() === '' ? 'Cancelled in the Studio.' : why.trim());
      close();
    } catch (error) { setFailed(error); setBusy(false); }
  };
  return (
    <Dialog label={`Cancel this run of ${name}?`} close={close}>
      <form onSubmit={(event) => { event.preventDefault(); void send(); }} style={{ display: 'grid', gap: 14 }}>
        <p>Its tasks stop, and so does each run it waits for. What they did outside stays done.</p>
        <input className={partStyles.input} aria-label="Why, for whoever reads its history" placeholder="Why, for whoever reads its history" maxLength={1024} value={why} autoFocus onChange={(event) => setWhy(event.target.value)} />
        {failed !== null && <Band tone="bad" role="alert" inset>{wordsOf(failed)}</Band>}
        <div className={dialogStyles.actions}><Button onClick={close}>Let it go on</Button><Button look="danger" type="submit" disabled={busy}>Cancel the run</Button></div>
      </form>
    </Dialog>
  );
}
