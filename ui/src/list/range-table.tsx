/** A windowed table of rows that are read where they are looked at. */

import { useCallback, useEffect, useId, useMemo, useRef, useSyncExternalStore } from 'react';
import type { KeyboardEvent, ReactNode } from 'react';
import { Button } from '../app/parts';
import { RangeList } from './ranges';
import { TableRow } from './row';
import type { Column } from './table';
import styles from './table.module.css';
import { stepTo, useWindow } from './window';

const HEAD = 30;

interface Props<Row> {
  label: string;
  /** What it is a list of: another key begins another list. */
  source: string;
  total: number;
  fetch: (first: number, limit: number, signal: AbortSignal) => Promise<{ total: number; rows: Row[] }>;
  columns: readonly Column<Row>[];
  /** The number of the chosen row, from 0; it is kept in sight. */
  chosen: number;
  choose: (at: number) => void;
  open?: (at: number) => void;
  foot?: ReactNode;
}

export function RangeTable<Row>({ label, source, total, fetch, columns, chosen, choose, open, foot }: Props<Row>) {
  const id = useId();
  // A new list for another source; the call inside is the newest for that source.
  // eslint-disable-next-line react-hooks/exhaustive-deps
  const list = useMemo(() => new RangeList<Row>(fetch, total), [source]);
  const { error, total: length } = useSyncExternalStore(list.subscribe, list.now);
  const { scroller, onScroll, first, end, row: height, show, places, order } = useWindow(length, HEAD);
  const tracks = columns.map((column) => column.width).join(' ');

  useEffect(() => { list.begin(); return () => list.stop(); }, [list]);
  useEffect(() => { list.grow(total); }, [list, total]);
  useEffect(() => { list.want(first, end); }, [list, first, end]);
  useEffect(() => { if (chosen >= 0 && chosen < length) show(chosen); }, [chosen, length, show]);

  const newest = useRef({ choose, open });
  useEffect(() => { newest.current = { choose, open }; });
  const press = useCallback((at: number) => newest.current.choose(at), []);
  const openAt = useCallback((at: number) => newest.current.open?.(at), []);

  const key = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === 'Enter') { if (open) { event.preventDefault(); open(chosen); } return; }
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 600) / height) - 2);
    const to = stepTo(event.key, Math.max(0, chosen), length, page);
    if (to === null) return;
    event.preventDefault();
    choose(to);
  };

  return (
    <div className={styles.wrap}>
      <div ref={scroller} className={styles.table} onScroll={onScroll}>
        <div className={styles.grid} role="grid" aria-label={label} tabIndex={0} aria-rowcount={length + 1} aria-colcount={columns.length}
          aria-activedescendant={chosen >= first && chosen < end ? `${id}-${chosen}` : undefined} onKeyDown={key}>
          <div className={styles.head} role="row" aria-rowindex={1} style={{ gridTemplateColumns: tracks }}>
            {columns.map((column) => <span key={column.id} role="columnheader" className={column.look === 'end' ? styles.end : undefined}>{column.title}</span>)}
          </div>
          <div className={styles.rows} role="rowgroup" style={{ height: length * height }}>
            {order.map((at) => (
              <TableRow key={at % places} id={`${id}-${at}`} at={at} row={list.row(at)} columns={columns} tracks={tracks} height={height} chosen={at === chosen} now={at === chosen} press={press} open={open && openAt} />
            ))}
          </div>
        </div>
        {error !== undefined ? <div className={styles.foot}>These rows could not be read. <Button onClick={list.again}>Read again</Button></div> : foot && <div className={styles.foot}>{foot}</div>}
      </div>
    </div>
  );
}
