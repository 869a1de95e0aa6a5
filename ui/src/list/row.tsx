/**
 * A row of a windowed table. Its element is kept while rows scroll through it, and it is drawn again
 * only when it shows something else: that is what keeps scrolling at the pace of the screen.
 */

import { memo } from 'react';
import type { Column } from './table';
import styles from './table.module.css';

interface Props<Row> {
  /** The id of the element, to which `aria-activedescendant` points. */
  id: string;
  at: number;
  /** Not read yet where it is missing. */
  row: Row | undefined;
  columns: readonly Column<Row>[];
  tracks: string;
  height: number;
  chosen: boolean;
  now: boolean;
  /** Both stay the same from one drawing to the next. */
  press: (at: number) => void;
  open?: ((at: number) => void) | undefined;
}

function Drawn<Row>({ id, at, row, columns, tracks, height, chosen, now, press, open }: Props<Row>) {
  return (
    <div id={id} role="row" aria-rowindex={at + 2} aria-selected={chosen} aria-busy={row === undefined || undefined} className={styles.row}
      data-chosen={chosen || undefined} data-now={now || undefined}
      style={{ transform: `translateY(${at * height}px)`, height, gridTemplateColumns: tracks }} onClick={() => press(at)} onDoubleClick={open && (() => open(at))}>
      {columns.map((column) => (
        <span key={column.id} role="gridcell" className={column.look ? styles[column.look] : undefined}>{row === undefined ? '' : column.cell(row)}</span>
      ))}
    </div>
  );
}

export const TableRow = memo(Drawn) as typeof Drawn;
