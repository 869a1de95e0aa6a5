/** One run: how it ended as a sentence, what came out or why not, what went in, and its history. */

import { Suspense, lazy, useCallback, useEffect, useMemo, useState } from 'react';
import { useQuery, useRuntime } from '../../api/react';
import { paths, query, topics } from '../../api/studio';
import type { HistoryPage, HistoryRow, Json, Run } from '../../api/types';
import { adjust, at, format, useAddress } from '../../app/address';
import { Id } from '../../app/id';
import { Band, Blank, Failure, Loading, SignMark, TabPanel, Tabs, Time } from '../../app/parts';
import { useWorkspace } from '../../app/workspace';
import { isObject } from '../../data/json';
import { JsonTree } from '../../data/tree';
import { Table, type Column } from '../../list/table';
import { Output, RecordFacts, RejectionWords } from '../../run/ending';
import page from '../../style/page.module.css';
import { actor, runSentence, runSign } from '../../words/state';
import { between } from '../../words/time';
import styles from './run.module.css';

const WorkflowRunScreen = lazy(() => import('./workflow'));

const HISTORY: readonly Column<HistoryRow>[] = [
  { id: 'at', title: 'When', width: '132px', cell: (row) => <Time at={typeof row.metadata['at'] === 'string' ? row.metadata['at'] : null} /> },
  { id: 'type', title: 'Event', width: '150px', cell: (row) => <code>{row.type}</code> },
  { id: 'summary', title: 'What happened', width: 'minmax(200px, 1fr)', cell: (row) => <span title={row.summary}>{row.summary}</span> },
];


export default function RunScreen({ id }: { id: string }) {
  const { folder } = useWorkspace();
  const { store } = useRuntime();
  const playbook = folder.playbook.id;
  const path = paths.run(playbook, id);
  const run = useQuery<Run>(path, topics.log);
  const workflow = run.value?.type === 'workflow';
  const history = useQuery<HistoryPage>(workflow ? null : `${paths.playbook(playbook)}/events${query({ run_id: id, order: 'asc', limit: 100 })}`, topics.log);
  if (!run.value) return run.error ? <Failure title="The run cannot be read" error={run.error} again={() => void store.refresh(path)} /> : <Loading what="Reading the run" />;
  if (workflow) return <Suspense fallback={<Loading what="Opening" />}><WorkflowRunScreen id={id} /></Suspense>;
  return <Shown run={run.value} history={history.value} />;
}

function Shown({ run, history }: { run: Run; history: HistoryPage | undefined }) {
  const { folder } = useWorkspace();
  const { fields } = useAddress();
  const tab = (['output', 'input', 'record', 'history'] as const).find((one) => one === fields['show']) ?? 'output';
  const newest = folder.documents.find((row) => row.type === run.type && row.name === run.name)?.version ?? null;
  const sign = runSign(run.status, run.rejection);
  return (
    <div className={page.page}>
      <header className={styles.head}>
        <div className={styles.line}><SignMark sign={sign} look="chip" /><h1>{runSentence(run)}</h1></div>
        <dl className={styles.facts}>
          <div><dt>Run</dt><dd><Id id={run.run_id} what="run" whole /></dd></div>
          <div><dt>Definition</dt><dd><a href={format(at('document', [run.type, run.name]))}>{run.type}/{run.name}</a>, version {run.definition_version}{newest !== null && newest > run.definition_version ? ` (newest is ${newest})` : ''}</dd></div>
          <div><dt>Started</dt><dd><Time at={run.started_at} /></dd></div>
          <div><dt>Took</dt><dd>{between(run.started_at, run.finished_at)}</dd></div>
          <div><dt>By</dt><dd>{actor(run.started_by)}</dd></div>
        </dl>
      </header>
      <Tabs label="The run" idBase="run" chosen={tab} choose={(next) => adjust({ show: next === 'output' ? null : next })} tabs={[
        { id: 'output', title: run.status === 'succeeded' ? 'Output' : 'Ending' }, { id: 'input', title: 'Input' }, { id: 'record', title: 'Record' },
        { id: 'history', title: 'History', note: history?.events.length },
      ]} />
      <TabPanel idBase="run" chosen={tab} className={page.fill}>
        {tab === 'output' && <EndingPane run={run} />}
        {tab === 'input' && <InputPane history={history} />}
        {tab === 'record' && (run.record === undefined || run.record === null ? <Blank title="No record">A run that was refused before it began keeps none.</Blank> : <JsonTree value={run.record} label="Record" />)}
        {tab === 'history' && <HistoryPane history={history} />}
      </TabPanel>
    </div>
  );
}

function EndingPane({ run }: { run: Run }) {
  switch (run.status) {
    case 'succeeded': return <div className={styles.column}><RecordFacts record={run.record} /><Output output={run.output} /></div>;
    case 'rejected': return <div className={page.scroll}>{run.rejection ? <RejectionWords rejection={run.rejection} /> : <Blank title="No words were kept" />}</div>;
    case 'failed': return <div><Band tone="bad" role="note">The runtime itself broke down while it ran. That is our mistake, not the document’s; the runtime’s log has the incident. The same input can be run again.</Band></div>;
    case 'started': return <Blank icon="busy" title="It has not ended">It may be running, or it was cut off. This page follows it.</Blank>;
  }
}

/** The input stands on the record that started the run; a large one is read whole. */
function InputPane({ history }: { history: HistoryPage | undefined }) {
  const { folder } = useWorkspace();
  const started = history?.events.find((row) => row.type === 'run_started');
  const whole = useQuery<HistoryRow>(started ? paths.event(folder.playbook.id, started.id) : null);
  if (!history || (started && !whole.value && !whole.error)) return <Loading what="Reading the input" />;
  const data = (whole.value ?? started)?.data;
  const input = isObject(data) ? data['input'] : undefined;
  return input === undefined ? <Blank title="The input is not kept">Its record does not hold it.</Blank> : <JsonTree value={input} label="Input" />;
}

function HistoryPane({ history }: { history: HistoryPage | undefined }) {
  const { folder } = useWorkspace();
  const [chosen, setChosen] = useState<string | null>(null);
  const choose = useCallback((row: HistoryRow) => setChosen(row.id), []);
  const rows = useMemo(() => history?.events ?? [], [history]);
  useEffect(() => { if (chosen === null && rows[0]) setChosen(rows[0].id); }, [rows, chosen]);
  const whole = useQuery<HistoryRow>(chosen === null ? null : paths.event(folder.playbook.id, chosen));
  if (!history) return <Loading what="Reading the history" />;
  if (rows.length === 0) return <Blank title="No records">Nothing of this run is in the history.</Blank>;
  const shown: Json = whole.value?.data ?? rows.find((row) => row.id === chosen)?.data ?? null;
  return (
    <div className={page.split}>
      <div className={page.left}><Table label="History of the run" rows={rows} columns={HISTORY} keyOf={(row) => row.id} chosen={chosen} open={choose} step={choose} total={rows.length} /></div>
      <div className={page.gripCell}><span /></div>
      <aside className={page.side} aria-label="Record"><JsonTree key={chosen} value={shown} label="Data of the record" /></aside>
    </div>
  );
}

