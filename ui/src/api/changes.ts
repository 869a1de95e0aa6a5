/**
 * The long poll that says what changed. Streams do not work over the desktop's scheme, so both hosts
 * wait for one answer at a time. Must not know what a topic means.
 */

import type { Transport } from './transport';
import { Refusal } from './transport';
import type { Change, Changes } from './types';

export type Connection = 'connecting' | 'connected' | 'lost';

export interface ChangesListener {
  changed(changes: Change[]): void;
  connection(state: Connection): void;
}

const GATHER_MS = 100;
const WAITS_MS = [500, 1000, 2000, 4000];

/** Follows the changes until stopped. At most ten times a second the listener hears of them. */
export function follow(transport: Transport, listener: ChangesListener): () => void {
  const abort = new AbortController();
  let gathered: Change[] = [];
  let timer: ReturnType<typeof setTimeout> | null = null;

  const tell = () => {
    timer = null;
    const told = gathered;
    gathered = [];
    if (!abort.signal.aborted) listener.changed(told);
  };

  const loop = async () => {
    let seq: number | null = null;
    let failures = 0;
    while (!abort.signal.aborted) {
      try {
        const path: string = seq === null ? '/studio/api/changes' : `/studio/api/changes?after=${seq}`;
        const answer: Changes = await transport.call<Changes>('GET', path, undefined, abort.signal);
        // A smaller number means another process answers now: what was known may be old.
        if (failures > 0 || seq === null || answer.seq < seq) listener.connection('connected');
        failures = 0;
        seq = answer.seq;
        if (answer.changes.length > 0) {
          gathered.push(...answer.changes);
          timer ??= setTimeout(tell, GATHER_MS);
        }
      } catch (error) {
        if (abort.signal.aborted) return;
        failures += 1;
        if (!(error instanceof Refusal) || failures > 1) listener.connection('lost');
        if (error instanceof Refusal) seq = null;
        await pause(WAITS_MS[Math.min(failures, WAITS_MS.length) - 1] ?? 4000, abort.signal);
      }
    }
  };
  void loop();
  return () => {
    abort.abort();
    if (timer !== null) clearTimeout(timer);
  };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    }, { once: true });
  });
}
