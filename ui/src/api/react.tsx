/** The store and the calls as React sees them. */

import { createContext, useCallback, useContext, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { ReactNode } from 'react';
import { type Connection, follow } from './changes';
import { Store, type Entry } from './store';
import { Studio, paths, topics } from './studio';
import type { Transport } from './transport';
import type { Change, Folder, StudioState } from './types';

interface Runtime { store: Store; studio: Studio; connection: Connection; onChanges(listener: (changes: Change[]) => void): () => void }

const RuntimeContext = createContext<Runtime | null>(null);

/** Gives the screens one store, the calls, and the state of the connection. */
export function RuntimeProvider({ transport, children }: { transport: Transport; children: ReactNode }) {
  const [connection, setConnection] = useState<Connection>('connecting');
  const held = useMemo(() => {
    const listeners = new Set<(changes: Change[]) => void>();
    return {
      store: new Store(transport),
      studio: new Studio(transport),
      listeners,
      onChanges: (listener: (changes: Change[]) => void) => {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    };
  }, [transport]);

  useEffect(() => follow(transport, {
    changed(changes) {
      held.store.invalidate(new Set(changes.map((change) => change.topic)));
      for (const listener of held.listeners) listener(changes);
    },
    connection(state) {
      setConnection((before) => {
        if (state === 'connected' && before === 'lost') held.store.refreshAll();
        return state;
      });
    },
  }), [transport, held]);

  const value = useMemo(
    () => ({ store: held.store, studio: held.studio, onChanges: held.onChanges, connection }),
    [held, connection],
  );
  return <RuntimeContext value={value}>{children}</RuntimeContext>;
}

export function useRuntime(): Runtime {
  const runtime = useContext(RuntimeContext);
  if (!runtime) throw new Error('A screen stands outside the runtime.');
  return runtime;
}

export const useStudio = (): Studio => useRuntime().studio;

const NOTHING: Entry<never> = { value: undefined, error: undefined, reading: false };
const NO_TOPICS: readonly string[] = [];

/**
 * The result of a path, read once and again whenever one of its topics changes. `null` reads nothing.
 * `rest` is the least time between two reads that changes ask for, in milliseconds.
 */
export function useQuery<T>(path: string | null, about: readonly string[] = NO_TOPICS, rest = 0): Entry<T> {
  const { store } = useRuntime();
  const subscribe = useCallback(
    (listener: () => void) => (path === null ? () => undefined : store.watch(path, about, listener, rest)),
    [store, path, about, rest],
  );
  return useSyncExternalStore(subscribe, () => (path === null ? NOTHING : store.entry<T>(path)));
}

export const useStudioState = (): Entry<StudioState> => useQuery<StudioState>(paths.state, topics.state);

/** A folder's rows are worked out from all its files: while a log grows fast they follow once in a while. */
const FOLDER_REST_MS = 700;

/** The open folder. Screens that need one stand inside a shell that has one. */
export const useFolder = (): Entry<Folder> => useQuery<Folder>(paths.folder, topics.folder, FOLDER_REST_MS);

/** Tells of changes, for lists that gather what is new instead of reading all again. */
export function useChanges(listener: (changes: Change[]) => void): void {
  const { onChanges } = useRuntime();
  useEffect(() => onChanges(listener), [onChanges, listener]);
}
