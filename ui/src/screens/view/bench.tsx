/**
 * The repair bench: the event the view stalled at beside the fold, which is run again on that event
 * alone at each keystroke, then on more events until all of them fold. Saving builds the view again
 * from the first event.
 */

import { Suspense, useEffect, useMemo, useState } from 'react';
import { useRuntime, useStudio } from '../../api/react';
import { paths } from '../../api/studio';
import { Unreachable, wordsOf } from '../../api/transport';
import type { DocumentText, Problem, Refold, StallDetail } from '../../api/types';
import { keyWords, useCommands } from '../../app/commands';
import { ToneIcon } from '../../app/icons';
import { Band, Button, Loading, cx, partStyles } from '../../app/parts';
import { useWorkspace } from '../../app/workspace';
import { isDirty, type Draft } from '../../data/drafts';
import { differences } from '../../data/json';
import { JsonTree } from '../../data/tree';
import { Bars } from '../../editor/bars';
import { CodeEditor, Compare } from '../../editor/lazy';
import { useSaving } from '../../editor/save';
import { stallKind, type Tone } from '../../words/state';
import { amount, count, duration, localTime } from '../../words/time';
import { differencesWords, eventsInAll, saveWords, waitingWords, workWords } from '../../words/view';
import { Hints } from './hints';
import { KeepButton, KeepForm, NOT_KEEPING, keepingOf } from './keep';
import type { Trials } from './rehearsal';
import { Widen } from './widen';
import bench from './bench.module.css';
import styles from './view.module.css';

const REST_MS = 160;
/** After the pair folds and nobody typed for this long, more events are tried by themselves. */
const WIDEN_REST_MS = 1000;
/** So few events are all tried by themselves. */
const FEW = 100;
const NO_PROBLEMS: readonly Problem[] = [];

interface Tried { text: string; refold: Refold | null; error: unknown }

interface Props {
  draft: Draft;
  document: DocumentText;
  stall: StallDetail;
  /** The standing's version, the events it folded, and the bound on a view. */
  version: number; folded: number; most: number;
  trials: Trials;
  watch: (version: number) => void;
}

/** The pair folded again after each keystroke. */
function useRefold(name: string, text: string, eventId: unknown): Tried | null {
  const { connection } = useRuntime();
  const studio = useStudio();
  const [tried, setTried] = useState<Tried | null>(null);
  useEffect(() => {
    const abort = new AbortController();
    const timer = setTimeout(() => {
      studio.refold(name, text, abort.signal).then(
        (refold) => { if (!abort.signal.aborted) setTried({ text, refold, error: null }); },
        (error: unknown) => { if (!abort.signal.aborted && !(error instanceof Unreachable)) setTried({ text, refold: null, error }); },
      );
    }, REST_MS);
    return () => { clearTimeout(timer); abort.abort(); };
  }, [studio, name, text, eventId, connection]);
  return tried;
}

export default function Bench({ draft, document, stall, version, folded, most, trials, watch }: Props) {
  const { drafts } = useWorkspace();
  const { store } = useRuntime();
  const [said, setSaid] = useState('');
  const [comparing, setComparing] = useState<'theirs' | 'crash' | null>(null);
  const [looking, setLooking] = useState<'first' | 'next'>('first');
  const [result, setResult] = useState<'event' | 'all'>('event');
  const [keeping, setKeeping] = useState(NOT_KEEPING);
  const { save, keepMine, failed, forgetFailure } = useSaving(draft, setSaid);
  const { key, name, text } = draft;
  const { trial, start } = trials;
  const tried = useRefold(name, text, stall.event['id']);
  const fresh = tried !== null && tried.text === text;
  const refold = tried?.refold ?? null;
  const mends = fresh && (refold?.outcome === 'folded' || refold?.outcome === 'passed');
  const changed = isDirty(draft) || text !== document.saved_text;
  const all = eventsInAll(folded, stall);

  // What the trial of this text came to.
  const trialled = trial !== null && trial.text === text ? trial : null;
  const proved = mends && trialled?.scope === 'all' && trialled.answer?.state === 'reached_end';
  const met = trial?.answer?.state === 'stalled' ? trial.answer.stalled : undefined;
  const next = met && met.event['id'] !== stall.event['id'] ? met : undefined;
  const nextId = next === undefined ? null : `${trial?.id} ${String(next.event['id'])}`;
  useEffect(() => setLooking(nextId === null ? 'first' : 'next'), [nextId]);
  const further = looking === 'next' ? next : undefined;

  const few = all !== null && !stall.counting && all.count <= FEW;
  const widens = mends && changed && trialled === null && comparing === null && !draft.saving;
  useEffect(() => {
    if (!widens) return;
    const timer = setTimeout(() => start(text, few ? 'all' : 'last'), WIDEN_REST_MS);
    return () => clearTimeout(timer);
  }, [widens, start, text, few]);

  const saveAndWatch = async () => {
    const saved = await save();
    if (saved?.state === 'saved' && saved.version !== null) watch(saved.version);
    if (saved) void store.refresh(paths.view(name));
  };
  const why = !fresh ? 'The text is being looked at.' : refold?.outcome === 'problems' ? 'The text has problems.' : !mends ? 'The text does not fold the event it stalled at yet.' : undefined;
  useCommands([
    { id: 'try-all', title: 'Try the text on all events', group: 'View', why, run: () => start(text, 'all') },
    { id: 'keep-case', title: 'Keep the stalled event as a case', group: 'View', run: () => { setLooking('first'); setKeeping(keepingOf(stall)); } },
    { id: 'save', title: `Save ${name} and rebuild its view`, group: 'Document', keys: 'Mod+S', why: draft.saving ? 'It is being saved.' : undefined, run: () => void saveAndWatch() },
  ]);

  const problems = refold?.outcome === 'problems' ? refold.problems ?? NO_PROBLEMS : NO_PROBLEMS;
  const firstLine = fresh ? (refold?.outcome === 'stalled' ? refold.line ?? null : null) : text === document.saved_text ? stall.line : null;
  const line = further ? (trialled ? further.line : null) : firstLine;
  const compared = comparing === 'crash' ? draft.crash?.text : draft.conflict?.theirs;
  const changes = useMemo(() => (refold?.outcome === 'folded' && refold.after !== undefined ? differences(refold.after, refold.before ?? stall.before) : null), [refold, stall.before]);
  const made = result === 'all' && trialled?.answer?.state === 'reached_end' ? trialled.answer.view : undefined;
  const event = further?.event ?? stall.event;
  const type = String(event['type'] ?? '');

  return (
    <div className={bench.bench}>
      <Stop stall={stall} next={next} further={further !== undefined} of={text === document.saved_text ? null : version} look={setLooking} />
      <Hints stall={further ?? stall} text={further ? trial?.text ?? text : document.saved_text ?? text} check={draft.lastGood ?? draft.check} refold={fresh ? refold : null} bound={most} />
      <Bars draft={draft} comparing={comparing} compare={setComparing} keepMine={() => { setComparing(null); void keepMine(); }} save={() => void save()}
        takeTheirs={() => { setComparing(null); drafts.takeTheirs(key); }} restore={() => { setComparing(null); drafts.restoreCrash(key); }} drop={() => { setComparing(null); drafts.dropCrash(key); }} />
      {failed !== null && <Band tone="bad" role="alert" actions={<Button onClick={forgetFailure}>Close</Button>}><b>Not saved.</b> {wordsOf(failed)}</Band>}
      <div className={styles.bench}>
        <div className={styles.benchLeft}>
          <div className={styles.benchEditor} data-region="editor">
            <Suspense fallback={<Loading what="Opening the editor" />}>
              {comparing !== null && compared !== undefined
                ? <Compare left={compared} leftLabel={comparing === 'theirs' ? 'Theirs, on disk' : 'Kept text'} right={text} rightLabel="Mine" language="typescript-document" onRight={(mine) => drafts.type(key, mine)} />
                : (
                  <CodeEditor label={`Text of recall/${name}`} documentType="recall" language="typescript-document" text={text} judged={tried?.text ?? ''} problems={problems} lit={line}
                    kept={draft.editor} keep={(state) => drafts.keepEditor(key, state)} onText={(typed) => drafts.type(key, typed)} showLit />
                )}
            </Suspense>
          </div>
          <Widen head={<Outcome tried={tried} fresh={fresh} />} trials={trials} text={text} all={all} why={why} lead={mends && !proved} bound={stall.kind === 'size' || met?.kind === 'size' ? most : null} shown={made === undefined ? 'event' : 'all'} look={setResult} />
          <div className={bench.save}>
            <Button look={proved ? 'primary' : 'usual'} icon="save" title={keyWords('Mod+S')}
              why={draft.saving ? 'It is being saved.' : !changed ? 'The text is the version that stalled.' : undefined} onClick={() => void saveAndWatch()}>
              {proved || !changed ? 'Save and rebuild' : 'Save anyway'}
            </Button>
            <p className={bench.said} role="status">{said !== '' ? said : changed ? saveWords(version, proved) : 'Mend the text: the event folds again at each key you type.'}</p>
          </div>
        </div>
        <div className={styles.benchRight} data-keeping={(keeping.open && !further) || undefined}>
          <section className={styles.pane} aria-label="The event">
            <div className={styles.paneHead}><h2>The event</h2><code>{type}</code>{!further && <KeepButton keeping={keeping} set={setKeeping} stall={stall} />}</div>
            {keeping.open && !further && <KeepForm name={name} text={text} keeping={keeping} set={setKeeping} />}
            <JsonTree value={event} label={further ? 'The event it stalls at further on' : 'The event the view stopped at'} />
          </section>
          <section className={styles.pane} aria-label="The view before and after">
            {made !== undefined ? <>
              <div className={styles.paneHead}><h2>The view it makes of all events tried</h2><span>{count(trialled?.answer?.view_bytes ?? 0, 'byte')}</span></div>
              <JsonTree value={made} label="The view after all events tried" />
            </> : further ? <>
              <div className={styles.paneHead}><h2>The view before, further on</h2></div>
              <JsonTree value={further.before} label="The view before the event further on" />
            </> : <>
              <div className={styles.paneHead}><h2>{refold?.outcome === 'folded' ? 'The view after, against before' : 'The view before'}</h2>{changes !== null && <span>{differencesWords(changes)}</span>}{refold?.bytes !== undefined && <span>{count(refold.bytes, 'byte')}</span>}</div>
              {refold?.outcome === 'folded' && refold.after !== undefined ? <JsonTree value={refold.after} before={refold.before ?? stall.before} reveal label="The view after the event, with what changed" />
                : <JsonTree value={stall.before} label="The view before the event" />}
            </>}
          </section>
        </div>
      </div>
    </div>
  );
}

/** Where it stands still: at first, and where a trial of more events stalled next. */
function Stop({ stall, next, further, of, look }: {
  stall: StallDetail; next: { event: StallDetail['event']; kind: string; error: string | null; line: number | null; index: number } | undefined; further: boolean;
  /** The version whose lines are meant, where the text on the bench is another. */
  of: number | null; look: (at: 'first' | 'next') => void;
}) {
  const shown = further && next ? next : stall;
  const kind = stallKind(shown.kind);
  const { event } = shown;
  const time = typeof event['time'] === 'string' ? event['time'] : null;
  return (
    <Band tone="bad" role="alert" actions={next && (further
      ? <Button onClick={() => look('first')}>Back to the first stall</Button>
      : <Button onClick={() => look('next')}>To where it stalls next</Button>)}>
      {further && next && <>Further on, at event {amount(next.index)} of those it takes, the text on the bench stalls again. </>}
      <b>{kind.sentence}</b>{shown.line === null ? '' : ` Line ${shown.line}${further || of === null ? '' : ` of version ${of}`}:`} {shown.error !== null && <code>{shown.error}</code>}
      <br />At the event <code>{String(event['type'] ?? '')}</code>{time ? ` of ${localTime(time)}` : ''} from <code>{String(event['source'] ?? '')}</code>.{' '}
      {further ? '' : waitingWords(stall)}
    </Band>
  );
}

function Outcome({ tried, fresh }: { tried: Tried | null; fresh: boolean }) {
  if (tried === null) return <div className={styles.outcomeWords}><Loading what="Folding the event" /></div>;
  if (tried.refold === null) return <div className={styles.outcomeWords} role="status"><span className={cx(partStyles.sign, partStyles.warn)}><ToneIcon tone="warn" />Not tried</span><small>{wordsOf(tried.error)}</small></div>;
  const { outcome, kind, error, line, work, ms, problems } = tried.refold;
  const given: { tone: Tone; word: string; sentence: string } =
    outcome === 'folded' ? { tone: 'good', word: 'Folds this event', sentence: '' }
    : outcome === 'passed' ? { tone: 'info', word: 'No longer takes this event', sentence: 'The filters of this text pass it over.' }
    : outcome === 'problems' ? { tone: 'bad', word: count(problems?.length ?? 0, 'problem'), sentence: problems?.[0] ? `Line ${problems[0].place.line}: ${problems[0].message}` : 'The text has problems.' }
    : { tone: 'bad', word: `Still stalls: ${stallKind(kind ?? '').short}`, sentence: `${line === undefined || line === null ? '' : `Line ${line}: `}${error ?? stallKind(kind ?? '').hint}` };
  return (
    <div className={styles.outcomeWords} role="status" data-old={!fresh || undefined}>
      <span className={cx(partStyles.sign, partStyles[given.tone])}><ToneIcon tone={given.tone} />{given.word}</span>
      {work !== undefined && <span className={styles.outcomeFacts}> · {workWords(work)} of 500{ms === undefined ? '' : `, ${ms < 1 ? 'under 1 ms' : duration(ms)}`}</span>}
      {given.sentence !== '' && <small>{given.sentence}</small>}
    </div>
  );
}
