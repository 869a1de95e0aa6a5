/** A JSON value as a windowed tree, or two of them as what differs. Must not know where they come from. */

import { useEffect, useId, useMemo, useState } from 'react';
import type { KeyboardEvent } from 'react';
import type { Json } from '../api/types';
import { Icon } from '../app/icons';
import { IconButton } from '../app/parts';
import { CODE_ROW, stepTo, useWindow } from '../list/window';
import { isBranch, kindWords, membersOf, preview, type Mark, type Node } from './json';
import styles from './tree.module.css';

interface Row { node: Node; depth: number; at: number; of: number; open: boolean; branch: boolean }

/** At first as many levels stand open as give at most so many rows. */
const ROWS_FIRST = 60;

/** How many levels stand open at first: none is as calm as two, when two are long. */
function levelsOpen(root: Node): number {
  let level: Json[] = [root.value];
  let rows = 0;
  for (let depth = 0; depth < 4; depth += 1) {
    const next = level.flatMap((value) => (isBranch(value) ? Object.values(value).slice(0, ROWS_FIRST + 1) : []));
    rows += next.length;
    if (rows > ROWS_FIRST || next.length === 0) return Math.max(0, depth - 1);
    level = next;
  }
  return 3;
}

export function rowsOf(root: Node, toggled: ReadonlySet<string>): Row[] {
  const rows: Row[] = [];
  const levels = levelsOpen(root);
  const walk = (nodes: Node[], depth: number) => {
    nodes.forEach((node, index) => {
      const branch = isBranch(node.value) && (Array.isArray(node.value) ? node.value.length > 0 : Object.keys(node.value).length > 0);
      // What came in is small as a rule, and is what one wants to see.
      const cameIn = root.before !== undefined && node.mark === 'added' && depth < 5 && Object.keys(node.value as object).length <= 12;
      const usual = branch && (cameIn || (node.differs ? node.mark !== 'removed' && node.mark !== 'added' : depth < levels && root.before === undefined));
      const open = branch && (toggled.has(node.id) ? !usual : usual);
      rows.push({ node, depth, at: index + 1, of: nodes.length, open, branch });
      if (open) walk(membersOf(node), depth + 1);
    });
  };
  walk(membersOf(root), 0);
  return rows;
}

const SIGNS: Record<Mark, string> = { added: '+', removed: '−', changed: '~', same: '' };
const MARK_WORDS: Record<Mark, string> = { added: 'added', removed: 'removed', changed: 'changed', same: '' };

export interface JsonTreeProps {
  value: Json;
  before?: Json;
  label: string;
  /** Brings the first difference in sight whenever the value is another. */
  reveal?: boolean;
  /** Told which row is chosen, by its pointer. */
  onChosen?: (pointer: string) => void;
}

export function JsonTree({ value, before, label, reveal = false, onChosen }: JsonTreeProps) {
  const id = useId();
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const [nowId, setNow] = useState<string | null>(null);
  const root = useMemo((): Node => ({ key: '', id: '', pointer: '', value, mark: 'same', differs: before !== undefined, ...(before !== undefined ? { before } : {}) }), [value, before]);
  const scalar = !isBranch(value);
  const rows = useMemo(() => (scalar ? [{ node: { ...root, mark: before !== undefined && before !== value ? 'changed' as const : 'same' as const }, depth: 0, at: 1, of: 1, open: false, branch: false }] : rowsOf(root, toggled)), [root, toggled, scalar, before, value]);
  const { scroller, onScroll, first, end, row: height, show } = useWindow(rows.length, 0, CODE_ROW);
  const found = nowId === null ? -1 : rows.findIndex((row) => row.node.id === nowId);
  const now = Math.max(0, found);
  const chosen = rows[now];
  const compared = before !== undefined;
  const footed = (found >= 0 ? rows[found]?.node : undefined) ?? root;

  const differing = reveal && compared ? rows.findIndex((row) => row.node.mark !== 'same') : -1;
  useEffect(() => {
    if (differing >= 0) show(differing);
    // Only another value moves the rows: what a person folds or scrolls stays.
  }, [value]);
  const choose = (row: Row) => {
    setNow(row.node.id);
    onChosen?.(row.node.pointer);
  };

  const toggle = (row: Row) => setToggled((held) => {
    const next = new Set(held);
    if (!next.delete(row.node.id)) next.add(row.node.id);
    return next;
  });
  const go = (to: number) => {
    const row = rows[to];
    if (!row) return;
    choose(row);
    show(to);
  };
  const key = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey || !chosen) return;
    if (event.key === 'ArrowRight') {
      if (chosen.branch && !chosen.open) toggle(chosen);
      else if (chosen.open) go(now + 1);
    } else if (event.key === 'ArrowLeft') {
      if (chosen.open) toggle(chosen);
      else {
        let up = now - 1;
        while (up >= 0 && (rows[up]?.depth ?? 0) >= chosen.depth) up -= 1;
        if (up >= 0) go(up);
      }
    } else if (event.key === 'Enter' || event.key === ' ') {
      if (chosen.branch) toggle(chosen);
    } else {
      const to = stepTo(event.key, now, rows.length, Math.max(1, Math.floor((scroller.current?.clientHeight ?? 600) / height) - 2));
      if (to === null) return;
      go(to);
    }
    event.preventDefault();
  };
  const long = chosen && typeof chosen.node.value === 'string' && chosen.node.value.length > 100 && found >= 0 ? chosen.node.value : null;

  return (
    <div className={styles.wrap}>
      <div ref={scroller} className={styles.tree} role="tree" aria-label={label} tabIndex={0} onScroll={onScroll} onKeyDown={key}
        aria-activedescendant={chosen && now >= first && now < end ? `${id}-${now}` : undefined}>
        <div className={styles.rows} role="presentation" style={{ height: rows.length * height }}>
          {rows.slice(first, end).map((row, index) => {
            const at = first + index;
            const { node } = row;
            const kind = node.value === null ? 'null' : typeof node.value;
            const shown = preview(node.value);
            return (
              <div key={node.id} id={`${id}-${at}`} role="treeitem" aria-level={row.depth + 1} aria-posinset={row.at} aria-setsize={row.of}
                aria-selected={at === now} {...(row.branch ? { 'aria-expanded': row.open } : {})} className={styles.row}
                data-now={at === now || undefined} data-picked={at === found || undefined} data-mark={node.mark === 'same' ? undefined : node.mark} data-differs={(node.differs && node.mark === 'same') || undefined}
                style={{ top: at * height, height, paddingInlineStart: 6 + row.depth * 16 }}
                onClick={() => { choose(row); if (row.branch) toggle(row); }}>
                {compared && <span className={styles.sign} aria-hidden="true">{SIGNS[node.mark]}</span>}
                <span className={styles.twist} data-open={row.open || undefined} aria-hidden="true">{row.branch && <Icon name="right" />}</span>
                {node.key !== '' || !scalar ? <span className={styles.key} data-list={/^\d+$/.test(node.key) || undefined}>{node.key === '' ? '""' : node.key}</span> : null}
                {node.mark === 'changed' && node.before !== undefined && <span className={styles.was}>{isBranch(node.before) ? kindWords(node.before) : preview(node.before)}</span>}
                {shown !== '' && <span className={styles.value} data-kind={kind}>{shown}</span>}
                {isBranch(node.value) && shown === '' && <span className={styles.kind}>{kindWords(node.value)}</span>}
                {node.mark !== 'same' && <span className="visually-hidden">, {MARK_WORDS[node.mark]}</span>}
              </div>
            );
          })}
        </div>
      </div>
      {long !== null && <pre className={styles.full} tabIndex={0} aria-label="The text in full">{long}</pre>}
      <div className={styles.foot}>
        <code title={footed.pointer}>{footed.pointer === '' ? '(whole)' : footed.pointer}</code>
        <span>{kindWords(footed.value)}</span>
        <IconButton small icon="copy" label="Copy the value as JSON" onClick={() => void navigator.clipboard?.writeText(JSON.stringify(footed.value, null, 2))} />
      </div>
    </div>
  );
}
