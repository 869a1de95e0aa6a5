/** A paged list for the life of a screen and its filters. */

import { useCallback, useEffect, useMemo, useSyncExternalStore } from 'react';
import { useChanges } from '../api/react';
import type { Change } from '../api/types';
import { PagedList, type Page, type Pages } from './pages';

export function usePages<Row>(
  key: string,
  fetch: (cursor: string | null, limit: number, signal: AbortSignal) => Promise<Page<Row>>,
  keyOf: (row: Row) => string,
): Pages<Row> & { more: () => void; show: () => void; again: () => void } {
  // A new list for each set of filters; the calls inside are the newest for that set.
  // eslint-disable-next-line react-hooks/exhaustive-deps
  const list = useMemo(() => new PagedList<Row>(fetch, keyOf), [key]);
  const state = useSyncExternalStore(list.subscribe, list.now);
  useEffect(() => {
    list.begin();
    void list.more();
    return () => list.stop();
  }, [list]);
  useChanges(useCallback((changes: Change[]) => {
    if (changes.some((change) => change.topic === 'log')) void list.news();
  }, [list]));
  const more = useCallback(() => { if (list.now().began && list.now().error === undefined) void list.more(); }, [list]);
  const again = useCallback(() => void list.more(), [list]);
  return { ...state, more, show: list.show, again };
}
