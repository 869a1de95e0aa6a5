/** One request: what is asked, of whom, until when, and the form of its answer. What is typed outlives a change of screen. */

import { Suspense, useEffect, useRef, useState } from 'react';
import { useStudio } from '../../api/react';
import { Refusal, wordsOf } from '../../api/transport';
import type { Issue, Json } from '../../api/types';
import type { Interaction } from '../../api/workflow';
import { at, format } from '../../app/address';
import { keyWords } from '../../app/commands';
import { Id } from '../../app/id';
import { Band, Blank, Button, IconButton, Key, Loading, Time, cx, partStyles } from '../../app/parts';
import { useWorkspace } from '../../app/workspace';
import { Prose } from '../../data/prose';
import { CodeEditor } from '../../editor/lazy';
import { SchemaForm } from '../../run/form';
import { inputFrom, inputOf, type Input } from '../../run/input';
import { undecided } from '../../run/schema';
import { Left } from './inbox';
import styles from './inbox.module.css';

/** Answers that were begun, by their request. */
const begun = new Map<string, Input>();
const NO_PROBLEMS: never[] = [];

interface Done { answer: Json; at: string }

export function Request({ id, request, now, close }: { id: string; request: Interaction | null; now: number; close: () => void }) {
  // A request that was answered leaves the list; what was asked stays in sight here.
  const last = useRef(request);
  if (request !== null) last.current = request;
  const shown = last.current;
  const [done, setDone] = useState<Done | null>(null);
  const run = format(at('run', [id]));
  if (!shown) {
    return (
      <Blank icon="quiet" title="This request is not open" actions={<><a className={partStyles.button} href={run}>Open its run</a><Button onClick={close}>Close</Button></>}>
        It was answered, it expired, or its run was cancelled. Its run says which, and what followed.
      </Blank>
    );
  }
  return (
    <div className={styles.request}>
      <div className={styles.requestHead}>
        <h2>{shown.function}</h2>
        <IconButton small icon="close" label="Close the request" onClick={close} />
        <dl>
          <div><dt>To</dt><dd>{shown.to}</dd></div>
          <div><dt>Asked</dt><dd><Time at={shown.requested_at} /></dd></div>
          <div><dt>Expires</dt><dd><Left until={shown.expires_at} now={now} /></dd></div>
          <div><dt>Run</dt><dd><a href={run}>open</a> <Id id={id} what="run" /></dd></div>
          {shown.standing !== 'in_inbox' && <div><dt>Stands</dt><dd>{shown.standing.replaceAll('_', ' ')}</dd></div>}
        </dl>
      </div>
      <div className={styles.requestBody}>
        <Message text={shown.message} />
        {done
          ? <Band tone="good" inset actions={<><a className={partStyles.button} href={run}>Open its run</a><Button onClick={close}>Close</Button></>}><b>Answered.</b> Whoever waited for it goes on.</Band>
          : request === null
            ? <Band tone="warn" role="alert" inset actions={<a className={partStyles.button} href={run}>Open its run</a>}><b>It is not open any more.</b> It was answered elsewhere, it expired, or its run was cancelled. {begun.has(id) ? 'What you typed is kept below.' : ''}</Band>
            : null}
        {!done && shown.takes_answer && <Answer id={id} request={shown} open={request !== null} answered={setDone} />}
        {!shown.takes_answer && <p className={styles.note}>It is a notice and takes no answer.</p>}
      </div>
    </div>
  );
}

function Message({ text }: { text: string }) {
  const studio = useStudio();
  const [html, setHtml] = useState<string | null>(null);
  useEffect(() => {
    let wanted = true;
    studio.markdown(text).then((made) => { if (wanted) setHtml(made.html); }, () => undefined);
    return () => { wanted = false; };
  }, [studio, text]);
  return html === null ? <p className={styles.plain}>{text}</p> : <div className={styles.message}><Prose html={html} label="What is asked" /></div>;
}

function Answer({ id, request, open, answered }: { id: string; request: Interaction; open: boolean; answered: (done: Done) => void }) {
  const { folder } = useWorkspace();
  const studio = useStudio();
  const schema = request.answer_schema ?? {};
  const [input, setInputNow] = useState<Input>(() => begun.get(id) ?? inputFrom(undecided(schema)));
  const [tab, setTab] = useState<'form' | 'json'>('form');
  const [claimed, setClaimed] = useState('');
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<{ words: string; issues: Issue[] } | null>(null);
  const setInput = (next: Input) => { begun.set(id, next); setInputNow(next); };
  const why = !open ? 'The request is not open any more.' : input.problem !== null ? 'The answer is not JSON.' : busy ? 'It is being sent.' : undefined;
  const send = async () => {
    if (why !== undefined || input.value === undefined) return;
    setBusy(true);
    setRefused(null);
    try {
      await studio.answer(folder.playbook.id, id, { answer: input.value, ...(claimed.trim() === '' ? {} : { claimed_for: claimed.trim() }) });
      begun.delete(id);
      answered({ answer: input.value, at: new Date().toISOString() });
    } catch (error) {
      const issues = error instanceof Refusal ? error.problem.errors ?? [] : [];
      setRefused({ words: wordsOf(error), issues: issues.map((issue) => ({ ...issue, pointer: issue.pointer.replace(/^\/answer(?=\/|$)/, '') })) });
      setBusy(false);
    }
  };
  return (
    <section className={styles.answer} aria-label="Answer" onKeyDown={(event) => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) { event.preventDefault(); event.stopPropagation(); void send(); }
    }}>
      <div className={styles.answerHead}>
        <h3>Answer</h3>
        <div className={styles.switch} role="group" aria-label="How the answer is shown">
          <button type="button" aria-pressed={tab === 'form'} onClick={() => setTab('form')}>Form</button>
          <button type="button" aria-pressed={tab === 'json'} onClick={() => setTab('json')}>JSON</button>
        </div>
      </div>
      {tab === 'json'
        ? (
          <div className={styles.raw}>
            <Suspense fallback={<Loading what="Opening" />}><CodeEditor label="Answer as JSON" language="json" text={input.text} judged="" problems={NO_PROBLEMS} onText={(text) => setInput(inputOf(text, input.lastGood))} /></Suspense>
            {input.problem !== null && <p role="status" className={styles.problem}>{input.problem}</p>}
          </div>
        )
        : input.problem !== null
          ? <Band tone="warn" inset actions={<Button onClick={() => setTab('json')}>Mend it</Button>}>The answer is not JSON, so there is no form of it. The text is kept.</Band>
          : <SchemaForm schema={schema} value={input.value ?? {}} issues={refused?.issues ?? []} onValue={(value) => setInput(inputFrom(value))} />}
      <label className={styles.claimed}>
        <span>Answered by</span>
        <input className={partStyles.input} maxLength={256} placeholder="Optional; kept as said, never checked" value={claimed} onChange={(event) => setClaimed(event.target.value)} />
      </label>
      {refused && <Band tone="bad" role="alert" inset><b>Not taken.</b> {refused.words} The request stays open.</Band>}
      <div className={cx(styles.send)}>
        <Button look="primary" icon="check" why={why} onClick={() => void send()}>Answer</Button>
        <span>An answer is final.</span>
        <Key>{keyWords('Mod+Enter')}</Key>
      </div>
    </section>
  );
}
