/**
 * Run one definition with one input. What is on screen runs, and it says which text that was: the
 * saved version as a recorded run, or the unsaved text as a trial that is recorded nowhere.
 */

import { Suspense, useEffect, useImperativeHandle, useRef, useState } from 'react';
import type { Ref } from 'react';
import { useQuery, useRuntime, useStudio } from '../api/react';
import { paths } from '../api/studio';
import { Refusal, wordsOf } from '../api/transport';
import type { Ending, Issue, Json, Rejection, SavedInput } from '../api/types';
import { at, format, go as goTo } from '../app/address';
import { keyWords } from '../app/commands';
import { Band, Blank, Button, Key, Loading, SignMark, cx, partStyles } from '../app/parts';
import { useWorkspace } from '../app/workspace';
import { CodeEditor } from '../editor/lazy';
import { NAME } from '../words/kinds';
import { runSign } from '../words/state';
import { localTime, shortId } from '../words/time';
import { Output, RecordFacts, RejectionWords } from './ending';
import { SchemaForm } from './form';
import { inputFrom, inputOf, type Input } from './input';
import styles from './run-it.module.css';
import { leastValue } from './schema';

export interface RunHandle { run(): void }

/** A run that goes on: it waits for an answer, a time or an event. */
type CameTo = Ending | { status: 'started' };

interface Outcome { ending: CameTo; what: string; runId: string | null; at: string }

interface Kept { input: Input; tab: 'form' | 'json'; outcome: Outcome | null }

/** Inputs and results outlive a tab switch. */
const kept = new Map<string, Kept>();

interface Props {
  type: string;
  name: string;
  schema: Json | null;
  /** Whether the text on screen is another than the saved version. */
  unsaved: boolean;
  /** The text on screen at the moment it is asked, when it is not the saved version; null when it is. */
  screen: () => string | null;
  version: number | null;
  /** Why the text on screen cannot be tried. */
  why?: string | undefined;
  verb?: 'Run' | 'Ask';
  handle?: Ref<RunHandle>;
}

const uuid = (): string => crypto.randomUUID();

export function RunIt({ type, name, schema, unsaved, screen, version, why, verb = 'Run', handle }: Props) {
  const { folder } = useWorkspace();
  const studio = useStudio();
  const { store } = useRuntime();
  const key = `${folder.path}:${type}/${name}`;
  const [held, setHeld] = useState<Kept>(() => kept.get(key) ?? { input: inputFrom(schema === null ? {} : leastValue(schema, schema)), tab: 'form', outcome: null });
  const [busy, setBusy] = useState(false);
  const [lost, setLost] = useState<unknown>(null);
  const inputs = useQuery<{ inputs: SavedInput[] }>(paths.inputs(type, name));
  const [naming, setNaming] = useState<string | null>(null);
  const { input, tab, outcome } = held;
  const newest = useRef(held);
  newest.current = held;

  useEffect(() => { kept.set(key, held); }, [key, held]);

  const setInput = (next: Input) => setHeld((before) => ({ ...before, input: next }));
  const setTab = (next: 'form' | 'json') => setHeld((before) => ({ ...before, tab: next }));
  const finished = (next: Outcome) => { setHeld((before) => ({ ...before, outcome: next })); setBusy(false); };

  const blocked = input.problem !== null ? 'The input is not JSON.' : busy ? 'It is running.' : undefined;
  const savedBlocked = version === null ? 'No version is saved yet.' : blocked;
  // Only a saved version can be recorded, waited for and gone on with; these are not tried as they stand on screen.
  const goesOn = type === 'workflow' || type === 'interaction';
  const tryBlocked = goesOn ? 'Save it first: it runs as the saved version.' : why ?? blocked;

  const refused = (error: unknown): Ending => {
    if (!(error instanceof Refusal)) throw error;
    const { reason, detail, kind, because, errors, status } = error.problem;
    if (status >= 500 && reason !== 'unavailable') return { status: 'failed' };
    const rejection: Rejection = { reason: reason ?? 'conflict', detail, ...(kind ? { kind } : {}), ...(because ? { because } : {}), ...(errors ? { issues: errors } : {}) };
    return { status: 'rejected', rejection };
  };

  const runSaved = async () => {
    if (savedBlocked !== undefined || input.value === undefined) return;
    setBusy(true);
    setLost(null);
    const runId = uuid();
    const began = new Date().toISOString();
    try {
      const run = await studio.run(folder.playbook.id, type, name, input.value, runId);
      if (type === 'workflow') {
        // A workflow's run has a page of its own: what it does is seen there.
        setBusy(false);
        goTo(at('run', [run.run_id]));
        return;
      }
      const ending: CameTo = run.status === 'started' ? { status: 'started' } : run.status === 'rejected' && run.rejection ? { status: 'rejected', rejection: run.rejection }
        : run.status === 'failed' ? { status: 'failed' }
        : { status: 'succeeded', output: run.output ?? null, record: run.record ?? null };
      finished({ ending, runId, at: began, what: `Version ${run.definition_version} ran` });
    } catch (error) {
      try {
        const ending = refused(error);
        // The refusal carries no run; the id it was sent with finds it, when it was recorded.
        const run = await studio.getRun(folder.playbook.id, runId).catch(() => null);
        finished({ ending, runId: run ? runId : null, at: began, what: run ? `Version ${run.definition_version} ran` : 'Nothing ran' });
      } catch {
        setLost(error);
        setBusy(false);
      }
    }
  };

  const runScreen = async (text: string) => {
    if (tryBlocked !== undefined || input.value === undefined) return;
    setBusy(true);
    setLost(null);
    const began = new Date().toISOString();
    const what = `The text on screen at ${localTime(began)} ran, recorded nowhere`;
    try {
      const { ending } = await studio.trial(type, name, text, input.value);
      finished({ ending, runId: null, at: began, what });
    } catch (error) {
      try { finished({ ending: refused(error), runId: null, at: began, what: 'The text on screen did not run' }); } catch {
        setLost(error);
        setBusy(false);
      }
    }
  };

  // What is on screen runs, whatever was drawn last.
  const go = () => {
    const text = screen();
    if (text === null) void runSaved();
    else if (!goesOn) void runScreen(text);
  };
  useImperativeHandle(handle, () => ({ run: go }));

  const issues: readonly Issue[] = outcome?.ending.status === 'rejected' ? fieldIssues(outcome.ending.rejection) : [];
  const chooseSaved = (chosen: string) => {
    const found = inputs.value?.inputs[Number(chosen)];
    if (found) setInput('value' in found ? inputFrom(found.value) : inputOf(found.text, input.lastGood));
  };
  const keepInput = async () => {
    if (naming === null || !NAME.test(naming) || input.value === undefined) return;
    try {
      await studio.saveInput(type, name, { input: naming.trim(), value: input.value });
      setNaming(null);
      void store.refresh(paths.inputs(type, name));
    } catch (error) {
      setLost(error);
    }
  };

  return (
    <div className={styles.runIt} onKeyDown={(event) => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) { event.preventDefault(); event.stopPropagation(); go(); }
    }}>
      <div className={styles.inputs}>
        <div className={styles.inputHead}>
          <div className={styles.switch} role="group" aria-label="How the input is shown">
            <button type="button" aria-pressed={tab === 'form'} onClick={() => setTab('form')}>Form</button>
            <button type="button" aria-pressed={tab === 'json'} onClick={() => setTab('json')}>JSON</button>
          </div>
          <select className={cx(partStyles.input, styles.saved)} aria-label="Saved inputs" value="" onChange={(event) => chooseSaved(event.target.value)} disabled={!inputs.value || inputs.value.inputs.length === 0}>
            <option value="">{inputs.value && inputs.value.inputs.length === 0 ? 'No inputs kept' : 'Kept inputs'}</option>
            {inputs.value?.inputs.map((one, index) => <option key={one.name} value={index}>{one.name}{'problem' in one ? ' (not JSON)' : ''}</option>)}
          </select>
          <Button look="plain" icon="save" disabled={input.problem !== null} onClick={() => setNaming(naming === null ? '' : null)} aria-expanded={naming !== null} title="Keep this input in the folder">Keep</Button>
        </div>
        {naming !== null && (
          <form className={styles.keepForm} onSubmit={(event) => { event.preventDefault(); void keepInput(); }}>
            <input className={cx(partStyles.input, partStyles.code)} autoFocus aria-label="Name of the input" placeholder="spring-sale" value={naming} spellCheck={false} autoComplete="off"
              aria-invalid={naming !== '' && !NAME.test(naming)} title="3 to 48 lowercase letters, digits and hyphens, a letter first" onChange={(event) => setNaming(event.target.value)} />
            <Button type="submit" why={NAME.test(naming) ? undefined : 'Use 3 to 48 lowercase letters, digits and hyphens, a letter first.'}>Keep in the folder</Button>
          </form>
        )}
        {tab === 'json' ? (
          <div className={styles.raw}>
            <Suspense fallback={<Loading what="Opening" />}>
              <CodeEditor label="Input as JSON" language="json" text={input.text} judged="" problems={NO_PROBLEMS} onText={(text) => setInput(inputOf(text, input.lastGood))} />
            </Suspense>
            {input.problem !== null && <p className={styles.rawProblem} role="status">{input.problem}</p>}
          </div>
        ) : (
          <div className={styles.scroll}>
            {input.problem !== null
              ? (
                <Band tone="warn" inset actions={<><Button onClick={() => setTab('json')}>Mend it</Button><Button onClick={() => setInput(inputFrom(input.lastGood))}>Use the last readable one</Button></>}>
                  The input is not JSON, so there is no form of it. The text is kept. {input.problem}
                </Band>
              )
              : <SchemaForm schema={schema ?? {}} value={input.value ?? {}} issues={issues} onValue={(value) => setInput(inputFrom(value))} />}
          </div>
        )}
      </div>
      <div className={styles.go}>
        {!unsaved
          ? <Button look="primary" icon="play" why={savedBlocked} onClick={() => void runSaved()}>{verb === 'Ask' ? 'Ask' : `Run${version === null ? '' : ` version ${version}`}`}</Button>
          : (
            <>
              {!goesOn && <Button look="primary" icon="play" why={tryBlocked} onClick={go}>Try this text</Button>}
              {(version !== null || goesOn) && <Button why={savedBlocked} onClick={() => void runSaved()}>Run version {version ?? 1}</Button>}
            </>
          )}
        <span className={styles.what}>
          {!unsaved ? (type === 'workflow' ? 'Starts a run and opens it.' : 'Recorded as a run.') : goesOn ? (version === null ? 'Save it first: it runs as the saved version.' : 'The text on screen is not the saved version. Save it to run it.') : why ?? 'The text on screen is not the saved version; trying it records nothing.'}
        </span>
        <Key>{keyWords('Mod+Enter')}</Key>
      </div>
      <div className={styles.result} aria-busy={busy} data-empty={(!busy && lost === null && outcome === null) || undefined}>
        {busy && <Loading what="Running" />}
        {!busy && lost !== null && <Band tone="bad" role="alert">{wordsOf(lost)}</Band>}
        {!busy && lost === null && outcome === null && <Blank icon="play" title="Nothing has run yet">The result, its work and its time stand here.</Blank>}
        {!busy && lost === null && outcome && <Result outcome={outcome} />}
      </div>
    </div>
  );
}

const NO_PROBLEMS: never[] = [];

/** The issues by where they are in the input; the runtime names them from the request, below `/input`. */
const fieldIssues = (rejection: Rejection): Issue[] =>
  (rejection.issues ?? []).map((issue) => ({ ...issue, pointer: issue.pointer.replace(/^\/input(?=\/|$)/, '') }));

function Result({ outcome }: { outcome: Outcome }) {
  const { ending } = outcome;
  const sign = runSign(ending.status, ending.status === 'rejected' ? ending.rejection : undefined);
  return (
    <>
      <div className={styles.resultHead} role="status">
        <SignMark sign={sign} look="chip" />
        <span className={styles.what}>{outcome.what}{outcome.runId !== null && <>, <a href={format(at('run', [outcome.runId]))} title={outcome.runId}>run {shortId(outcome.runId)}</a></>}.</span>
      </div>
      {ending.status === 'started' && <Band tone="busy" role="status" inset>It waits for an answer. The request stands in the inbox; the run’s page follows it.</Band>}
      {ending.status === 'succeeded' && <><RecordFacts record={ending.record} /><Output output={ending.output} /></>}
      {ending.status === 'rejected' && <RejectionWords rejection={ending.rejection} />}
      {ending.status === 'failed' && <Band tone="bad" role="alert" inset>The runtime itself broke down. That is our mistake, not the document’s; its log has the incident.</Band>}
    </>
  );
}
