/** The open requests: as many pages as were looked at, all read again when something was recorded, since an answered one leaves the list. */

import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useChanges, useStudio } from '../../api/react';
import type { Change } from '../../api/types';
import type { Interaction } from '../../api/workflow';

const PAGE = 100;
/** A busy log asks for no more than this many reads, in milliseconds between two. */
const REST_MS = 500;

export interface Requests { rows: readonly Interaction[]; more: boolean; began: boolean; error: unknown }

export function useRequests(playbook: string, to: string, named: string): Requests & { readOn: () => void; again: () => void } {
  const studio = useStudio();
  const [held, setHeld] = useState<Requests>({ rows: [], more: false, began: false, error: undefined });
  const pages = useRef(1);
  const turn = useRef(0);
  const read = useCallback(async () => {
    turn.current += 1;
    const mine = turn.current;
    try {
      const rows: Interaction[] = [];
      let cursor: string | null = null;
      let more = true;
      for (let page = 0; page < pages.current && more; page += 1) {
        const answer = await studio.interactions(playbook, { to, function: named, limit: PAGE, cursor });
        if (mine !== turn.current) return;
        rows.push(...answer.interactions);
        more = answer.has_more;
        cursor = answer.next_cursor;
      }
      setHeld({ rows, more, began: true, error: undefined });
    } catch (error) {
      if (mine === turn.current) setHeld((before) => ({ ...before, began: true, error }));
    }
  }, [studio, playbook, to, named]);

  useEffect(() => {
    pages.current = 1;
    setHeld({ rows: [], more: false, began: false, error: undefined });
    void read();
    return () => { turn.current += 1; };
  }, [read]);

  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  useEffect(() => () => { if (timer.current !== null) clearTimeout(timer.current); timer.current = null; }, []);
  useChanges(useCallback((changes: Change[]) => {
    if (!changes.some((change) => change.topic === 'log')) return;
    timer.current ??= setTimeout(() => { timer.current = null; void read(); }, REST_MS);
  }, [read]));

  const readOn = useCallback(() => {
    if (!held.more || pages.current * PAGE > held.rows.length) return;
    pages.current += 1;
    void read();
  }, [held.more, held.rows.length, read]);
  return useMemo(() => ({ ...held, readOn, again: () => void read() }), [held, readOn, read]);
}
