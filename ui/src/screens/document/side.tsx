/** The right side of a document: run it, what it says in words, its types, schemas, standing, its saved version. */

import { Suspense, memo } from 'react';
import type { Ref } from 'react';
import { useQuery } from '../../api/react';
import { paths, topics } from '../../api/studio';
import type { DocumentText, Json, ViewAnswer } from '../../api/types';
import { at, format } from '../../app/address';
import { Band, Blank, Loading, Meter, SignMark, TabPanel, Tabs, Time } from '../../app/parts';
import { useWorkspace } from '../../app/workspace';
import type { Draft } from '../../data/drafts';
import { Prose } from '../../data/prose';
import { CodeView, Compare, languageOf } from '../../editor/lazy';
import { Diagram } from '../../diagram/diagram';
import { RunIt, type RunHandle } from '../../run/run-it';
import { rowStandingSign, stallKind, standingSentence } from '../../words/state';
import { amount, count } from '../../words/time';
import { AuthorOverview } from './author';
import styles from './document.module.css';
import { Steps } from './steps/steps';
import type { TaskChoice } from './steps/use-tasks';

export type SideTab = 'run' | 'diagram' | 'overview' | 'types' | 'schemas' | 'standing' | 'version';

export const SIDE_TABS: readonly SideTab[] = ['run', 'diagram', 'overview', 'types', 'schemas', 'standing', 'version'];

interface Props {
  draft: Draft;
  document: DocumentText;
  tab: SideTab;
  choose: (tab: SideTab) => void;
  run: Ref<RunHandle>;
  /** The task of a workflow that the cursor is in, and the ways to others. */
  tasks: TaskChoice;
}

/** The tabs that a type has. */
export function sideTabsOf(type: string): readonly SideTab[] {
  return SIDE_TABS.filter((one) => (one === 'standing' ? type === 'recall' : one === 'diagram' ? type === 'workflow' : one === 'types' ? type === 'recall' || type === 'computation' : true));
}

export const firstTab = (type: string): SideTab => (type === 'workflow' ? 'diagram' : 'run');

export const Side = memo(function Side({ draft, document, tab, choose, run, tasks }: Props) {
  const own = sideTabsOf(draft.type);
  const shown = own.includes(tab) ? tab : firstTab(draft.type);
  const titles: Record<SideTab, string> = { run: draft.type === 'recall' ? 'Ask' : 'Run', diagram: 'Diagram', overview: 'Overview', types: 'Types', schemas: 'Schemas', standing: 'Standing', version: 'Changes' };
  const tabs = own.map((id) => ({ id, title: titles[id] }));
  return (
    <>
      <Tabs label="About this document" idBase="side" tabs={tabs} chosen={shown} choose={(id) => choose(id as SideTab)} />
      <TabPanel idBase="side" chosen={shown} className={styles.sidePanel}>
        <Suspense fallback={<Loading what="Opening" />}>
          {shown === 'run' && <RunSide draft={draft} document={document} run={run} />}
          {shown === 'diagram' && <Steps draft={draft} tasks={tasks} readOnly={document.state === 'retired'} stamp={<Stamp draft={draft} />} />}
          {shown === 'overview' && <Overview draft={draft} document={document} />}
          {shown === 'types' && <Types draft={draft} />}
          {shown === 'schemas' && <Schemas draft={draft} />}
          {shown === 'standing' && <Standing name={draft.name} />}
          {shown === 'version' && <SavedVersion draft={draft} document={document} />}
        </Suspense>
      </TabPanel>
    </>
  );
});

function RunSide({ draft, document, run }: { draft: Draft; document: DocumentText; run: Ref<RunHandle> }) {
  const errors = draft.check.problems.filter((one) => one.severity === 'error').length;
  const fresh = draft.checked === draft.text;
  const { drafts } = useWorkspace();
  const saved = document.saved_text;
  const screen = () => {
    const text = drafts.get(draft.key)?.text ?? draft.text;
    return text === saved ? null : text;
  };
  const why = fresh && errors > 0 ? `The text on screen has ${count(errors, 'problem')}.` : undefined;
  if (document.state === 'retired') return <Blank icon="quiet" title="Retired">A retired definition can be read, but not run.</Blank>;
  return (
    <RunIt key={`${draft.type}/${draft.name}`} type={draft.type} name={draft.name} schema={(draft.lastGood ?? draft.check).input_schema} version={document.version}
      unsaved={draft.text !== document.saved_text} screen={screen} why={why} verb={draft.type === 'recall' ? 'Ask' : 'Run'} handle={run} />
  );
}

/** While the text is wrong, what was drawn from the last valid one stays, and says so. */
function Stamp({ draft }: { draft: Draft }) {
  const stale = draft.lastGood !== null && draft.lastGood !== draft.check;
  return stale ? <p className={styles.stamp}>As of the last valid text.</p> : null;
}

function Overview({ draft, document }: { draft: Draft; document: DocumentText }) {
  const from = draft.lastGood ?? draft.check;
  const stale = from !== draft.check;
  return (
    <>
      <Stamp draft={draft} />
      {document.author_overview !== null && <AuthorOverview markdown={document.author_overview} />}
      {document.author_diagram !== null && <div style={{ padding: '0 16px' }}><Diagram text={document.author_diagram} label="The author’s diagram" /></div>}
      {(document.author_overview !== null || document.author_diagram !== null) && from.overview_html !== null && <p className={styles.divider}>Read from the document</p>}
      {from.overview_html !== null
        ? <Prose html={from.overview_html} stale={stale} label="Overview" />
        : <Blank title="No overview yet">It is written from the document once the text is valid.</Blank>}
    </>
  );
}

function Types({ draft }: { draft: Draft }) {
  const from = draft.lastGood ?? draft.check;
  if (from.declarations === null) return <Blank title="No types yet">The types that the module sees stand here once the schemas are valid.</Blank>;
  return <><Stamp draft={draft} /><div className={styles.fill}><CodeView text={from.declarations} language="typescript" label="Types that the module sees" /></div></>;
}

function Schemas({ draft }: { draft: Draft }) {
  const from = draft.lastGood ?? draft.check;
  const given: [string, Json | null][] = [['View', from.view_schema], ['Input', from.input_schema], ['Output', from.output_schema]];
  const schemas = given.filter(([title, schema]) => schema !== null || (title !== 'View'));
  const text = schemas.map(([title, schema]) => `// ${title}${schema === null ? ': any JSON' : `\n${JSON.stringify(schema, null, 2)}`}`).join('\n\n');
  return <><Stamp draft={draft} /><div className={styles.fill}><CodeView text={text} language="typescript" label="Schemas as JSON" /></div></>;
}

function Standing({ name }: { name: string }) {
  const answer = useQuery<ViewAnswer>(paths.view(name), topics.views);
  if (!answer.value) return answer.error ? <Blank icon="view" title="No view yet">Save the document: its view is then built from the first event.</Blank> : <Loading what="Reading the standing" />;
  const { standing, view_bytes, view_bytes_most, filters } = answer.value;
  const kind = standing.stalled ? stallKind(standing.stalled.kind) : null;
  return (
    <div className={styles.standing}>
      <div><SignMark look="chip" sign={rowStandingSign({ state: standing.state, folded: standing.folded, lag_ms: standing.lag_ms, ...(standing.stalled ? { kind: standing.stalled.kind } : {}) })} /></div>
      <p>{standingSentence(standing)}</p>
      {kind && (
        <Band tone="bad" inset><b>{kind.sentence}</b>{standing.stalled?.line ? ` Line ${standing.stalled.line}.` : ''} {standing.stalled?.error}</Band>
      )}
      <Meter label="Size of the view" value={view_bytes} most={view_bytes_most} words={`${amount(view_bytes)} of ${amount(view_bytes_most)} bytes`} />
      <dl>
        <dt>Version</dt><dd>{standing.version}</dd>
        <dt>Folded</dt><dd>{count(standing.folded, 'event')}</dd>
        {standing.last_event && <><dt>Last event</dt><dd><Time at={standing.last_event.time} /></dd></>}
        {standing.newest_record_at && <><dt>Newest record</dt><dd><Time at={standing.newest_record_at} /></dd></>}
      </dl>
      <div><h2 style={{ fontWeight: 600, marginBottom: 4 }}>It takes</h2><ul>{filters.map((filter) => <li key={filter.sentence}>{filter.sentence}</li>)}</ul></div>
      <a href={format(at('view', [name]))}>{standing.state === 'stalled' ? 'Open the repair bench' : 'Open the view'}</a>
    </div>
  );
}

function SavedVersion({ draft, document }: { draft: Draft; document: DocumentText }) {
  if (document.saved_text === null) return <Blank icon="diff" title="No version is saved yet">Saving a text without problems records version 1.</Blank>;
  if (document.saved_text === draft.text) return <Blank icon="good" title="Nothing differs">The text on screen is version {document.version}.</Blank>;
  return (
    <div className={styles.fill}>
      <Compare left={document.saved_text} leftLabel={`Version ${document.version}, which runs`} right={draft.text} rightLabel="The text on screen" language={languageOf(draft.type)} />
    </div>
  );
}
