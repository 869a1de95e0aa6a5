/** The workflow's own steps, numbered as in its overview, each with how it stands at the place looked at. */

import { memo, useCallback, useMemo } from 'react';
import type { ChildRun, FlowGroup, FlowNode, Flowchart, Stop, Wait } from '../../api/workflow';
import { at, format } from '../../app/address';
import { Icon } from '../../app/icons';
import { SignMark } from '../../app/parts';
import { kindIcon } from '../../diagram/flowchart';
import { Table, type Column } from '../../list/table';
import type { Sign } from '../../words/state';
import { amount, count } from '../../words/time';
import { outcomeSign } from '../../words/workflow';
import styles from './workflow.module.css';

interface Row { reference: string; number: string; label: string; kind: FlowNode['kind'] | FlowGroup['kind']; depth: number; sign: Sign; runs: number; last: ChildRun | undefined; note: string }

const byNumber = (one: { number: string }, other: { number: string }): number => {
  const left = one.number.split('.').map(Number);
  const right = other.number.split('.').map(Number);
  for (let at = 0; at < Math.max(left.length, right.length); at += 1) {
    const by = (left[at] ?? -1) - (right[at] ?? -1);
    if (by !== 0) return by;
  }
  return 0;
};

const NOT_YET: Sign = { tone: 'quiet', word: 'not reached', sentence: 'The run has not been there.' };
const BEEN: Sign = { tone: 'good', word: 'run', sentence: 'The run has been there.' };

interface Props { chart: Flowchart; lit: ReadonlySet<string>; stops: readonly Stop[]; waits: readonly Wait[]; children: readonly ChildRun[]; chosen: string | null; choose: (reference: string) => void }

export const Outline = memo(function Outline({ chart, lit, stops, waits, children, chosen, choose }: Props) {
  const rows = useMemo((): Row[] => {
    const standing = new Map(stops.map((stop) => [stop.reference, stop]));
    const waiting = new Map(waits.map((wait) => [wait.reference, wait]));
    const called = new Map<string, { runs: number; last: ChildRun }>();
    for (const child of children) called.set(child.reference, { runs: (called.get(child.reference)?.runs ?? 0) + 1, last: child });
    return [...chart.nodes, ...chart.groups].flatMap((one) => {
      if (one.reference === undefined || one.number === undefined) return [];
      const stop = standing.get(one.reference);
      const wait = waiting.get(one.reference);
      const own = called.get(one.reference);
      const sign = stop ? outcomeSign(stop.outcome) : wait ? outcomeSign('waiting') : lit.has(one.reference) ? BEEN : NOT_YET;
      return [{ reference: one.reference, number: one.number, label: one.label, kind: one.kind, depth: one.number.split('.').length - 1, sign, runs: own?.runs ?? 0, last: own?.last, note: stop && stop.run > 1 ? `run ${amount(stop.run)}` : '' }];
    }).toSorted(byNumber);
  }, [chart, lit, stops, waits, children]);
  const columns = useMemo((): Column<Row>[] => [
    { id: 'step', title: 'Step', width: 'minmax(200px, 1fr)', cell: (row) => <span className={styles.step} style={{ paddingInlineStart: row.depth * 18 }} title={row.label}><Icon name={kindIcon(row.kind)} /><span className={styles.stepNumber}>{row.number}</span>{row.label}</span> },
    { id: 'standing', title: 'Stands', width: '176px', cell: (row) => <><SignMark sign={row.sign} />{row.note !== '' && <span className={styles.which}>{row.note}</span>}</> },
    { id: 'calls', title: 'It started', width: '112px', cell: (row) => (row.last && row.sign !== NOT_YET ? <a href={format(at('run', [row.last.run_id]))} onClick={(event) => event.stopPropagation()}>{row.runs === 1 ? 'its run' : `last of ${count(row.runs, 'run')}`}</a> : '') },
  ], []);
  const open = useCallback((row: Row) => choose(row.reference), [choose]);
  return <Table label="Steps of the run" rows={rows} columns={columns} keyOf={(row) => row.reference} chosen={chosen} open={open} step={open} total={rows.length} />;
});
