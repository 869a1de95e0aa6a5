/** Every run, newest first. What is new gathers above; the list never jumps under the pointer. */

import { useCallback, useEffect, useMemo, useState } from 'react';
import { useStudio } from '../../api/react';
import type { Run } from '../../api/types';
import { adjust, at, go, useAddress } from '../../app/address';
import { Blank, Button, Failure, Loading, SignMark, Time, cx, partStyles } from '../../app/parts';
import { useWorkspace } from '../../app/workspace';
import { Table, type Column } from '../../list/table';
import { usePages } from '../../list/use-pages';
import page from '../../style/page.module.css';
import { TYPES, typeWords } from '../../words/kinds';
import { actor, reasonWords, runSign } from '../../words/state';
import { amount, between, count, shortId } from '../../words/time';

const COLUMNS: readonly Column<Run>[] = [
  { id: 'status', title: 'Ended', width: '136px', cell: (run) => <SignMark sign={runSign(run.status, run.rejection)} /> },
  { id: 'definition', title: 'Definition', width: 'minmax(150px, 1.4fr)', cell: (run) => <span title={`${run.type}/${run.name}`}>{run.name}</span> },
  { id: 'type', title: 'Type', width: '112px', look: 'muted', cell: (run) => run.type },
  { id: 'version', title: 'Version', width: '70px', look: 'end', cell: (run) => run.definition_version },
  { id: 'why', title: 'Why', width: 'minmax(110px, 1.2fr)', look: 'muted', cell: (run) => (run.status === 'rejected' ? reasonWords(run.rejection) : '') },
  { id: 'by', title: 'Started by', width: 'minmax(100px, 0.9fr)', look: 'muted', cell: (run) => actor(run.started_by) },
  { id: 'started', title: 'Started', width: '132px', cell: (run) => <Time at={run.started_at} /> },
  { id: 'took', title: 'Took', width: '74px', look: 'end', cell: (run) => between(run.started_at, run.finished_at) },
  { id: 'id', title: 'Run', width: '104px', look: 'muted', cell: (run) => <code title={run.run_id}>{shortId(run.run_id)}</code> },
];

const STATUSES = ['started', 'succeeded', 'rejected', 'failed'] as const;

export default function Runs() {
  const { folder } = useWorkspace();
  const studio = useStudio();
  const { fields } = useAddress();
  const type = fields['type'] ?? '';
  const name = fields['name'] ?? '';
  const status = fields['status'] ?? '';
  const [top, setTop] = useState(true);
  const playbook = folder.playbook.id;

  const runs = usePages<Run>(`${playbook}|${type}|${name}|${status}`, async (cursor, limit, signal) => {
    const answer = await studio.runs(playbook, { type, name, status, limit, cursor }, signal);
    return { rows: answer.runs, next: answer.has_more ? answer.next_cursor : null };
  }, (run) => run.run_id);

  // While the newest row is in sight, new ones simply come in.
  useEffect(() => { if (top && runs.gathered.length > 0) runs.show(); }, [top, runs]);
  const open = useCallback((run: Run) => go(at('run', [run.run_id])), []);
  const names = useMemo(() => [...new Set(folder.documents.filter((row) => type === '' || row.type === type).map((row) => row.name))].toSorted(), [folder.documents, type]);
  const filtered = type !== '' || name !== '' || status !== '';

  return (
    <div className={page.page}>
      <div className={page.head}>
        <h1>Runs</h1>
        <div className={page.filters} role="group" aria-label="Filters">
          <select className={cx(partStyles.input, page.filter)} aria-label="Type" value={type} onChange={(event) => adjust({ type: event.target.value, name: null })}>
            <option value="">Every type</option>
            {TYPES.filter((one) => one.known || one.type === type).map((one) => <option key={one.type} value={one.type}>{typeWords(one.type).many}</option>)}
          </select>
          <select className={cx(partStyles.input, page.filter)} aria-label="Definition" value={name} onChange={(event) => adjust({ name: event.target.value })}>
            <option value="">Every definition</option>
            {(names.includes(name) || name === '' ? names : [name, ...names]).map((one) => <option key={one} value={one}>{one}</option>)}
          </select>
          <select className={cx(partStyles.input, page.filter)} aria-label="How it ended" value={status} onChange={(event) => adjust({ status: event.target.value })}>
            <option value="">Every ending</option>
            {STATUSES.map((one) => <option key={one} value={one}>{one}</option>)}
          </select>
          {filtered && <Button look="plain" icon="close" onClick={() => adjust({ type: null, name: null, status: null })}>No filter</Button>}
        </div>
        <span className={page.note} role="status">{runs.began ? `${amount(runs.rows.length)}${runs.next !== null ? ' read so far' : runs.rows.length === 1 ? ' run' : ' runs'}` : ''}</span>
      </div>
      {runs.error !== undefined && runs.rows.length === 0
        ? <Failure title="The runs cannot be read" error={runs.error} again={runs.again} />
        : !runs.began ? <Loading what="Reading runs" />
        : runs.rows.length === 0 && runs.next === null
          ? (filtered
            ? <Blank icon="runs" title="No run fits the filter" actions={<Button onClick={() => adjust({ type: null, name: null, status: null })}>Show every run</Button>}>Runs of {[type, name, status].filter(Boolean).join(', ')} would stand here.</Blank>
            : <Blank icon="runs" title="Nothing has run yet">Open a function and run it: its form is made from the input’s schema. Every run is then listed here.</Blank>)
          : (
            <Table label="Runs" rows={runs.rows} columns={COLUMNS} keyOf={(run) => run.run_id} open={open} nearEnd={runs.more} onTop={setTop}
              {...(runs.next === null ? { total: runs.rows.length } : {})}
              news={runs.gathered.length > 0 ? { count: runs.gathered.length, show: runs.show } : undefined}
              foot={runs.error !== undefined ? <>Reading on failed. <Button onClick={runs.again}>Read again</Button></> : runs.next !== null ? 'Reading on' : `${count(runs.rows.length, 'run')}, from the first`} />
          )}
    </div>
  );
}
