/** A windowed table. The list never jumps under the pointer: new rows gather behind a button. */

import { useCallback, useEffect, useId, useRef, useState } from 'react';
import type { KeyboardEvent, ReactNode } from 'react';
import { TableRow } from './row';
import styles from './table.module.css';
import { stepTo, useWindow } from './window';

export interface Column<Row> {
  id: string;
  title: string;
  /** A track of the grid, such as `120px` or `minmax(160px, 1fr)`. */
  width: string;
  cell: (row: Row) => ReactNode;
  look?: 'end' | 'muted';
}

interface Props<Row> {
  label: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string;
  chosen?: string | null;
  /** Enter or a click on a row. */
  open: (row: Row) => void;
  /** A row is stepped on by keys; given where an inspector follows. */
  step?: (row: Row) => void;
  /** How many rows there are in all, where it is known. */
  total?: number;
  /** Rows that came in meanwhile, and how to show them. */
  news?: { count: number; show: () => void } | undefined;
  /** The last rows come in sight: read more. */
  nearEnd?: () => void;
  foot?: ReactNode;
  onTop?: (atTop: boolean) => void;
}

const HEAD = 30;

export function Table<Row>({ label, rows, columns, keyOf, chosen, open, step, total, news, nearEnd, foot, onTop }: Props<Row>) {
  const id = useId();
  const { scroller, onScroll, first, end, row: height, show, atTop, places, order } = useWindow(rows.length, HEAD);
  const [nowKey, setNow] = useState<string | null>(null);
  const chosenAt = chosen ? rows.findIndex((row) => keyOf(row) === chosen) : -1;
  const nowAt = nowKey === null ? -1 : rows.findIndex((row) => keyOf(row) === nowKey);
  const now = nowAt >= 0 ? nowAt : Math.max(0, chosenAt);
  const tracks = columns.map((column) => column.width).join(' ');

  useEffect(() => { onTop?.(atTop); }, [atTop, onTop]);
  useEffect(() => { if (end >= rows.length - 20) nearEnd?.(); }, [end, rows.length, nearEnd]);

  const newest = useRef({ rows, keyOf, open });
  useEffect(() => { newest.current = { rows, keyOf, open }; });
  const press = useCallback((at: number) => {
    const row = newest.current.rows[at];
    if (row === undefined) return;
    setNow(newest.current.keyOf(row));
    newest.current.open(row);
  }, []);

  const key = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === 'Enter') {
      const row = rows[now];
      if (row === undefined) return;
      event.preventDefault();
      open(row);
      return;
    }
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 600) / height) - 2);
    const to = stepTo(event.key, now, rows.length, page);
    const row = to === null ? undefined : rows[to];
    if (to === null || row === undefined) return;
    event.preventDefault();
    setNow(keyOf(row));
    show(to);
    step?.(row);
  };

  return (
    <div className={styles.wrap}>
      {news && news.count > 0 && (
        <button type="button" className={styles.news} onClick={() => { news.show(); if (scroller.current) scroller.current.scrollTop = 0; }}>
          {news.count} new
        </button>
      )}
      <div ref={scroller} className={styles.table} onScroll={onScroll}>
        <div className={styles.grid} role="grid" aria-label={label} tabIndex={0}
          aria-rowcount={(total ?? (nearEnd ? -1 : rows.length)) + (total === undefined && nearEnd ? 0 : 1)} aria-colcount={columns.length}
          aria-activedescendant={rows.length > 0 && now >= first && now < end ? `${id}-${now}` : undefined} onKeyDown={key}>
          <div className={styles.head} role="row" aria-rowindex={1} style={{ gridTemplateColumns: tracks }}>
            {columns.map((column) => <span key={column.id} role="columnheader" className={column.look === 'end' ? styles.end : undefined}>{column.title}</span>)}
          </div>
          <div className={styles.rows} role="rowgroup" style={{ height: rows.length * height }}>
            {order.map((at) => {
              const row = rows[at];
              return row !== undefined && <TableRow key={at % places} id={`${id}-${at}`} at={at} row={row} columns={columns} tracks={tracks} height={height} chosen={keyOf(row) === chosen} now={at === now} press={press} />;
            })}
          </div>
        </div>
        {foot && <div className={styles.foot}>{foot}</div>}
      </div>
    </div>
  );
}
