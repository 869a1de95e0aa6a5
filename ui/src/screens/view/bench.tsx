/**
 * The repair bench: the event the view stopped at beside the fold, which is run again on that event
 * alone at each keystroke. Saving builds the view again from the first event.
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
import { JsonTree } from '../../data/tree';
import { Bars } from '../../editor/bars';
import { CodeEditor, Compare } from '../../editor/lazy';
import { useSaving } from '../../editor/save';
import { stallKind, type Tone } from '../../words/state';
import { amount, count, duration, localTime } from '../../words/time';
import styles from './view.module.css';

const REST_MS = 160;
const NO_PROBLEMS: readonly Problem[] = [];

interface Tried { text: string; refold: Refold | null; error: unknown }

export function Bench({ draft, document, stall, watch }: { draft: Draft; document: DocumentText; stall: StallDetail; watch: (version: number) => void }) {
  const { drafts } = useWorkspace();
  const { store, connection } = useRuntime();
  const studio = useStudio();
  const [tried, setTried] = useState<Tried | null>(null);
  const [said, setSaid] = useState('');
  const [comparing, setComparing] = useState<'theirs' | 'crash' | null>(null);
  const { save, keepMine, failed, forgetFailure } = useSaving(draft, setSaid);
  const { key, name, text } = draft;
  const eventId = stall.event['id'];
  const fresh = tried !== null && tried.text === text;

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

  const refold = tried?.refold ?? null;
  const mends = fresh && (refold?.outcome === 'folded' || refold?.outcome === 'passed');
  const changed = isDirty(draft) || text !== document.saved_text;
  const saveAndWatch = async () => {
    const saved = await save();
    if (saved?.state === 'saved' && saved.version !== null) watch(saved.version);
    if (saved) void store.refresh(paths.view(name));
  };
  useCommands([{ id: 'save', title: `Save ${name} and rebuild its view`, group: 'Document', keys: 'Mod+S', why: draft.saving ? 'It is being saved.' : undefined, run: () => void saveAndWatch() }]);

  const kind = stallKind(stall.kind);
  const problems = refold?.outcome === 'problems' ? refold.problems ?? NO_PROBLEMS : NO_PROBLEMS;
  const line = fresh ? (refold?.outcome === 'stalled' ? refold.line ?? null : null) : text === document.saved_text ? stall.line : null;
  const event = useMemo(() => ({ type: String(stall.event['type'] ?? ''), time: typeof stall.event['time'] === 'string' ? stall.event['time'] : null, source: String(stall.event['source'] ?? '') }), [stall.event]);
  const compared = comparing === 'crash' ? draft.crash?.text : draft.conflict?.theirs;

  return (
    <div style={{ display: 'flex', flexDirection: 'column' }}>
      <Band tone="bad" role="alert">
        <b>{kind.sentence}</b>{stall.line === null ? '' : ` Line ${stall.line}:`} {stall.error !== null && <code>{stall.error}</code>}
        <br />At the event <code>{event.type}</code>{event.time ? ` of ${localTime(event.time)}` : ''} from <code>{event.source}</code>. {typeof stall.waiting !== 'number' ? '' : stall.waiting > 0 ? `${count(stall.waiting, 'event')} ${stall.waiting === 1 ? 'waits' : 'wait'} behind it. ` : 'No event waits behind it. '}{kind.hint}
      </Band>
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
          <div className={styles.outcome}>
            <Outcome tried={tried} fresh={fresh} />
            <Button look={mends ? 'primary' : 'usual'} icon="save" title={keyWords('Mod+S')}
              why={draft.saving ? 'It is being saved.' : !changed ? 'The text is the version that stalled.' : undefined} onClick={() => void saveAndWatch()}>
              {mends || !changed ? 'Save and rebuild' : 'Save anyway'}
            </Button>
            {said !== '' && <span className={styles.outcomeFacts} role="status">{said}</span>}
          </div>
        </div>
        <div className={styles.benchRight}>
          <section className={styles.pane} aria-label="The event">
            <div className={styles.paneHead}><h2>The event</h2><code>{event.type}</code></div>
            <JsonTree value={stall.event} label="The event the view stopped at" />
          </section>
          <section className={styles.pane} aria-label="The view before and after">
            <div className={styles.paneHead}><h2>{refold?.outcome === 'folded' ? 'The view after, against before' : 'The view before'}</h2>{refold?.bytes !== undefined && <span>{amount(refold.bytes)} bytes</span>}</div>
            {refold?.outcome === 'folded' && refold.after !== undefined ? <JsonTree value={refold.after} before={refold.before ?? stall.before} label="The view after the event, with what changed" />
              : <JsonTree value={stall.before} label="The view before the event" />}
          </section>
        </div>
      </div>
    </div>
  );
}

function Outcome({ tried, fresh }: { tried: Tried | null; fresh: boolean }) {
  if (tried === null) return <div className={styles.outcomeWords}><Loading what="Folding the event" /></div>;
  if (tried.refold === null) return <div className={styles.outcomeWords} role="status"><span className={cx(partStyles.sign, partStyles.warn)}><ToneIcon tone="warn" />Not tried</span><small>{wordsOf(tried.error)}</small></div>;
  const { outcome, kind, error, line, work, ms, problems } = tried.refold;
  const given: { tone: Tone; word: string; sentence: string } =
    outcome === 'folded' ? { tone: 'good', word: 'Folds this event', sentence: 'Saving builds the view again from the first event; runs are refused meanwhile.' }
    : outcome === 'passed' ? { tone: 'info', word: 'No longer takes this event', sentence: 'The filters of this text pass it over. Saving builds the view again from the first event.' }
    : outcome === 'problems' ? { tone: 'bad', word: count(problems?.length ?? 0, 'problem'), sentence: problems?.[0] ? `Line ${problems[0].place.line}: ${problems[0].message}` : 'The text has problems.' }
    : { tone: 'bad', word: `Still stalls: ${stallKind(kind ?? '').short}`, sentence: `${line === undefined || line === null ? '' : `Line ${line}: `}${error ?? stallKind(kind ?? '').hint}` };
  return (
    <div className={styles.outcomeWords} role="status" style={fresh ? undefined : { opacity: 0.6 }}>
      <span className={cx(partStyles.sign, partStyles[given.tone])}><ToneIcon tone={given.tone} />{given.word}</span>
      {work !== undefined && <span className={styles.outcomeFacts}> · {work === 0 ? 'under 1 checkpoint' : count(work, 'checkpoint')} of 500{ms === undefined ? '' : `, ${ms < 1 ? 'under 1 ms' : duration(ms)}`}</span>}
      <small>{given.sentence}</small>
    </div>
  );
}

