/** A document: its text with problems while typing, what it says, and running it. */

import { Suspense, useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { useQuery, useRuntime, useStudio } from '../../api/react';
import { inDesktop, native } from '../../api/native';
import { paths, topics } from '../../api/studio';
import { Refusal, Unreachable, wordsOf } from '../../api/transport';
import type { DocumentText, Problem } from '../../api/types';
import { adjust, at, go, useAddress } from '../../app/address';
import { keyWords, useCommands, type Command } from '../../app/commands';
import { Grip } from '../../app/grip';
import { Band, Button, Failure, IconButton, Loading, SignMark, TabPanel, Tabs } from '../../app/parts';
import { change, useSettings } from '../../app/settings';
import { useDraft, useProblems, useWorkspace } from '../../app/workspace';
import { isDirty, type Draft } from '../../data/drafts';
import { Bars } from '../../editor/bars';
import { CodeEditor, Compare, languageOf, type EditorHandle } from '../../editor/lazy';
import { useSaving } from '../../editor/save';
import type { RunHandle } from '../../run/run-it';
import { documentSign, type Sign } from '../../words/state';
import { amount, count } from '../../words/time';
import styles from './document.module.css';
import { Menu } from './menu';
import { Problems } from './problems';
import { Side, firstTab, sideTabsOf, type SideTab } from './side';
import { useTasks } from './steps/use-tasks';

/** How long the text must rest before it is judged. */
const REST_MS = 220;
const MOST_BYTES = 65_536;
const MOST_VIEW = 524_288;
const encoder = new TextEncoder();

export default function DocumentScreen({ type, name }: { type: string; name: string }) {
  const path = paths.document(type, name);
  const read = useQuery<DocumentText>(path, topics.documents);
  const { drafts } = useWorkspace();
  const { store } = useRuntime();
  const draft = useDraft(`${type}/${name}`);

  useEffect(() => { if (read.value) drafts.read(read.value); }, [read.value, drafts]);

  if (!draft || !read.value) {
    return read.error
      ? <Failure title={`${type}/${name} cannot be opened`} error={read.error} again={() => void store.refresh(path)} />
      : <Loading what="Opening" />;
  }
  return <Open draft={draft} document={read.value} />;
}

function chip(draft: Draft, document: DocumentText): Sign {
  const runs = document.version === null ? 'No version runs yet.' : `Version ${document.version} goes on running.`;
  if (draft.saving) return { tone: 'busy', word: 'saving', sentence: 'Being written to disk.' };
  if (draft.conflict) return { tone: 'warn', word: 'changed outside', sentence: `The file changed outside. Nothing is overwritten. ${runs}` };
  if (isDirty(draft)) return { tone: 'info', word: 'not on disk', sentence: `Typed and not saved. ${runs}` };
  return documentSign({ state: document.state, version: document.version, problems: draft.check.problems.filter((one) => one.severity === 'error').length });
}

function Open({ draft, document }: { draft: Draft; document: DocumentText }) {
  const { key, type, name } = draft;
  const { folder, drafts } = useWorkspace();
  const { store, connection } = useRuntime();
  const studio = useStudio();
  const settings = useSettings();
  const counted = useProblems();
  const address = useAddress();
  const editor = useRef<EditorHandle>(null);
  const run = useRef<RunHandle>(null);
  const [said, setSaid] = useState('');
  const [comparing, setComparing] = useState<'theirs' | 'crash' | null>(null);
  const [recheck, setRecheck] = useState(0);
  const tab = sideTabsOf(type).find((one) => one === address.fields['side']) ?? firstTab(type);
  const fresh = draft.checked === draft.text;
  const problems = draft.check.problems;
  const errors = problems.filter((one) => one.severity === 'error').length;
  const retired = document.state === 'retired';
  const language = languageOf(type);
  const sign = chip(draft, document);

  // Judges the text on screen once it rests. An answer about an older text is dropped by the drafts.
  const text = draft.text;
  const needsCheck = !fresh || recheck > 0;
  useEffect(() => {
    if (!needsCheck) return;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      studio.check(type, name, text, abort.signal).then(
        (check) => { drafts.judged(key, text, check); setRecheck(0); },
        (error: unknown) => {
          if (abort.signal.aborted || error instanceof Unreachable) return;
          if (error instanceof Refusal) drafts.judged(key, text, { ...draft.check, judged: 'no', not_judged: error.problem.detail, problems: [] });
          setRecheck(0);
        },
      );
    }, recheck > 0 ? 0 : REST_MS);
    return () => { clearTimeout(timer); abort.abort(); };
    // The check kept in the draft must not start another one.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [needsCheck, text, type, name, key, studio, drafts, recheck, connection]);

  const path = paths.document(type, name);
  const { save: saveNow, keepMine: keepMineNow, failed, forgetFailure } = useSaving(draft, setSaid);
  const [refused, setRefused] = useState<unknown>(null);
  const save = () => void saveNow();
  const keepMine = () => { setComparing(null); void keepMineNow(); };
  const takeTheirs = () => { setComparing(null); drafts.takeTheirs(key); editor.current?.focus(); };

  const jump = useCallback((problem: Problem) => {
    editor.current?.jump({ line: problem.place.line, column: problem.place.column });
    setSaid(`Line ${problem.place.line}, column ${problem.place.column}: ${problem.message}${problem.hint ? ` Try: ${problem.hint}` : ''}`);
  }, []);
  const walk = (step: 1 | -1) => {
    const from = editor.current?.cursor() ?? { line: 1, column: 0 };
    const after = (one: Problem) => one.place.line - from.line || one.place.column - from.column;
    const order = step === 1 ? problems : problems.toReversed();
    const next = order.find((one) => after(one) * step > 0) ?? order[0];
    if (next) jump(next);
  };
  const fixHere = () => {
    const cursor = editor.current?.cursor() ?? { line: 1, column: 1 };
    const within = problems.filter((one) => one.fix && one.place.line <= cursor.line && one.place.end_line >= cursor.line);
    const nearest = within.toSorted((one, other) => Math.abs(one.place.column - cursor.column) - Math.abs(other.place.column - cursor.column))[0];
    if (nearest?.fix) { editor.current?.fix(nearest.fix); setSaid(`${nearest.fix.title}: done.`); } else setSaid('No fix is known at the cursor.');
  };
  const chooseSide = useCallback((next: SideTab) => adjust({ side: next === firstTab(type) ? null : next }), [type]);
  const tasks = useTasks(draft, editor);
  // The side follows a moment behind the keys.
  const behind = useDeferredValue(draft);
  const runIt = () => {
    if (tab !== 'run') chooseSide('run');
    if (!settings.inspectorShown) change({ inspectorShown: true });
    // After the panel is there.
    requestAnimationFrame(() => run.current?.run());
  };

  const retire = async () => {
    try {
      const answer = await studio.retire(type, name);
      store.put(path, answer.document, topics.documents);
      void store.refresh(paths.folder);
      setSaid('Retired.');
    } catch (error) { setRefused(error); }
  };
  const remove = async () => {
    try {
      await studio.remove(type, name);
      setSaid('The file is deleted.');
      void store.refresh(path);
      void store.refresh(paths.folder);
    } catch (error) { setRefused(error); }
  };

  const noProblem = problems.length === 0 ? 'There are no problems.' : undefined;
  const commands: Command[] = [
    { id: 'save', title: `Save ${name}`, group: 'Document', keys: 'Mod+S', why: retired ? 'It is retired.' : undefined, run: save },
    { id: 'run', title: type === 'recall' ? `Ask ${name}` : `Run ${name}`, group: 'Document', keys: 'Mod+Enter', why: retired ? 'It is retired.' : undefined, run: runIt },
    { id: 'problem.next', title: 'Next problem', group: 'Document', keys: 'F8', why: noProblem, run: () => walk(1) },
    { id: 'problem.previous', title: 'Previous problem', group: 'Document', keys: 'Shift+F8', why: noProblem, run: () => walk(-1) },
    { id: 'problem.fix', title: 'Fix the problem at the cursor', group: 'Document', keys: 'Mod+.', why: !problems.some((one) => one.fix) ? 'No fix is known.' : !fresh ? 'The text is being checked.' : undefined, run: fixHere },
    ...sideTabsOf(type).map((one): Command => ({ id: `side.${one}`, title: `Show ${one === 'version' ? 'changes against the saved version' : one}`, group: 'Document', run: () => { chooseSide(one); change({ inspectorShown: true }); } })),
    ...(type === 'recall' ? [{ id: 'document.view', title: `View of ${name}`, group: 'Document', run: () => go(at('view', [name])) }] : []),
  ];
  useCommands(commands);

  const used = useMemo(() => encoder.encode(text).length, [text]);
  const elsewhere = folder.documents.flatMap((row) => {
    const wrong = counted.get(`${row.type}/${row.name}`)?.errors ?? 0;
    return wrong > 0 && !(row.type === type && row.name === name) ? [{ ...row, problems: wrong }] : [];
  });
  const largest = draft.check.largest_view;
  const compared = comparing === 'crash' ? draft.crash?.text : draft.conflict?.theirs;

  return (
    <div className={styles.screen}>
      <div className={styles.head}>
        <h1 className={styles.path} title={document.path}><span>{type}/</span>{name}<span>{document.path.slice(`${type}/${name}`.length)}</span></h1>
        <SignMark sign={sign} look="chip" />
        <div className={styles.actions}>
          <Button icon="save" look={isDirty(draft) && !retired ? 'primary' : 'usual'} why={retired ? 'A retired definition is not changed.' : draft.saving ? 'It is being saved.' : undefined} title={keyWords('Mod+S')} onClick={save}>Save</Button>
          <IconButton icon="inspector" label={settings.inspectorShown ? 'Hide the inspector' : 'Show the inspector'} aria-pressed={settings.inspectorShown} onClick={() => change({ inspectorShown: !settings.inspectorShown })} />
          <Menu label="More about this document" items={[
            ...(inDesktop() ? [{ id: 'outside', title: 'Open in another editor', run: () => void native().then((desktop) => desktop?.openOutside(`${folder.path}/${document.path}`)) }] : []),
            ...(type === 'recall' ? [{ id: 'view', title: 'Open its view', run: () => go(at('view', [name])) }] : []),
            { id: 'runs', title: 'Its runs', run: () => go(at('runs', [], { type, name })) },
            { id: 'revert', title: 'Go back to the text on disk', why: isDirty(draft) && !draft.gone ? undefined : 'It is the text on disk.', run: () => drafts.type(key, draft.baseText) },
            { id: 'delete', title: 'Delete the file', why: draft.gone ? 'There is no file.' : undefined, ask: `Delete ${document.path}? ${document.version === null ? 'No version of it was saved.' : `Version ${document.version} goes on running.`} The text stays open here and can be saved again.`, run: () => void remove() },
            { id: 'retire', title: 'Retire the definition', why: retired ? 'It is retired.' : document.version === null ? 'No version is saved.' : undefined, ask: `Retire ${name}? It can be read afterwards, but never changed or run, and its name is not given back.`, run: () => void retire() },
          ]} />
        </div>
      </div>
      <Bars draft={draft} comparing={comparing} compare={setComparing} keepMine={keepMine} takeTheirs={takeTheirs} save={save}
        restore={() => { setComparing(null); drafts.restoreCrash(key); }} drop={() => { setComparing(null); drafts.dropCrash(key); }} />
      {failed !== null && <Band tone="bad" role="alert" actions={<><Button onClick={save}>Save again</Button><Button onClick={forgetFailure}>Close</Button></>}><b>Not saved.</b> {wordsOf(failed)}</Band>}
      {refused !== null && <Band tone="bad" role="alert" actions={<Button onClick={() => setRefused(null)}>Close</Button>}>{wordsOf(refused)}</Band>}
      {!isDirty(draft) && document.state === 'problems' && document.version !== null && (
        <Band tone="info" role="note">The file has {count(errors, 'problem')}, so it stays a draft. Version {document.version} goes on running.</Band>
      )}
      <div className={styles.body} data-inspector={settings.inspectorShown ? 'shown' : 'hidden'} style={{ ['--inspector-width' as string]: `${settings.inspector}px`, ['--panel-height' as string]: `${settings.panel}px` }}>
        <div className={styles.left}>
          <div className={styles.editor} data-region="editor">
            <Suspense fallback={<Loading what="Opening the editor" />}>
              {comparing !== null && compared !== undefined
                ? (
                  <Compare left={compared} leftLabel={comparing === 'theirs' ? 'Theirs, on disk' : 'Kept text'} right={draft.text} rightLabel="Mine" language={language} onRight={(mine) => drafts.type(key, mine)} />
                )
                : (
                  <CodeEditor handle={editor} label={`Text of ${type}/${name}`} documentType={type} language={language} text={draft.text} judged={draft.checked} problems={problems} readOnly={retired}
                    kept={draft.editor} keep={(state) => drafts.keepEditor(key, state)} onCursor={tasks.cursor} definitions={folder.documents} onText={(typed) => drafts.type(key, typed)} autoFocus />
                )}
            </Suspense>
          </div>
          <div className={styles.foot}>
            <Mini words={`${amount(used)} of ${amount(MOST_BYTES)} bytes`} share={used / MOST_BYTES} title="Size of the document; a larger one is refused when saved" />
            {largest && (
              <span className={styles.largest}>
                {largest.bytes !== null
                  ? <Mini words={`largest view ${amount(largest.bytes)} of ${amount(MOST_VIEW)} bytes`} share={largest.bytes / MOST_VIEW} title={`Worked out from the bounds of view.schema${largest.dominates ? `; most of it: ${largest.dominates}` : ''}`} />
                  : <span title={`Bound every list, text and key, so that the view cannot outgrow 512 KiB. Without a bound: ${largest.unbounded || 'the whole view'}`}>largest view not bounded{largest.unbounded ? <>: <code>{largest.unbounded}</code></> : ''}</span>}
              </span>
            )}
            <span className={styles.grow} />
            <span role="status" aria-live="polite">{said !== '' ? said : fresh ? '' : 'Checking'}</span>
          </div>
          {settings.panelShown && (
            <>
              <Grip label="Height of the panel" axis="row" grows="before" size={settings.panel} least={90} most={560} resize={(panel) => change({ panel })} />
              <section className={styles.panel} data-region="panel" aria-label="Problems">
                <Tabs label="Panel" idBase="panel" chosen="problems" choose={() => undefined}
                  tabs={[{ id: 'problems', title: 'Problems', note: problems.length > 0 ? problems.length : undefined, tone: errors > 0 ? 'bad' : 'warn' }]}
                  end={<IconButton small icon="close" label={`Hide the panel (${keyWords('Mod+J')})`} onClick={() => change({ panelShown: false })} />} />
                <TabPanel idBase="panel" chosen="problems" className={styles.fill}>
                  <Problems check={draft.check} fresh={fresh} elsewhere={elsewhere} jump={jump} again={() => setRecheck((turn) => turn + 1)} fix={(fix) => { editor.current?.fix(fix); setSaid(`${fix.title}: done.`); }} />
                </TabPanel>
              </section>
            </>
          )}
        </div>
        {settings.inspectorShown && (
          <>
            <div className={styles.gripCell}><Grip label="Width of the inspector" grows="before" size={settings.inspector} least={260} most={760} resize={(inspector) => change({ inspector })} /></div>
            <aside className={styles.side} data-region="inspector" aria-label="Inspector">
              <Side draft={behind} document={document} tab={tab} choose={chooseSide} run={run} tasks={tasks.choice} />
            </aside>
          </>
        )}
      </div>
    </div>
  );
}

function Mini({ words, share, title }: { words: string; share: number; title: string }) {
  return (
    <span className={styles.mini} data-tone={share > 1 ? 'bad' : share >= 0.8 ? 'warn' : undefined} title={title}>
      <i aria-hidden="true"><b style={{ width: `${Math.min(100, share * 100)}%` }} /></i>{words}{share > 1 ? ', too large' : ''}
    </span>
  );
}
