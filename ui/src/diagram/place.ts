/** Asks for layouts: of a worker, or of this thread where the webview gives none. */

import { useEffect, useMemo, useState } from 'react';
import type { Flowchart } from '../api/workflow';
import type { Placed } from './layout';
import type { Answered } from './layout.worker';

export interface Drawn { chart: Flowchart; placed: Placed }

let worker: Worker | null | undefined;
let turn = 0;
const waiting = new Map<number, { chart: Flowchart; done: (placed: Placed) => void; fail: (why: unknown) => void }>();

const here = async (chart: Flowchart): Promise<Placed> => (await import('./layout')).place(chart);

function workerOrNone(): Worker | null {
  if (worker !== undefined) return worker;
  try {
    worker = new Worker(new URL('./layout.worker.ts', import.meta.url), { type: 'module' });
    worker.onmessage = ({ data }: MessageEvent<Answered>) => {
      const asked = waiting.get(data.turn);
      waiting.delete(data.turn);
      if (!asked) return;
      if ('placed' in data) asked.done(data.placed);
      else asked.fail(data.failed);
    };
    // A webview that refuses the worker's file: what waits is done here, and so is what comes.
    worker.onerror = () => {
      worker = null;
      for (const asked of waiting.values()) here(asked.chart).then(asked.done, asked.fail);
      waiting.clear();
    };
  } catch { worker = null; }
  return worker;
}

export function layOut(chart: Flowchart): Promise<Placed> {
  const own = workerOrNone();
  if (own === null) return here(chart);
  return new Promise((done, fail) => {
    turn += 1;
    waiting.set(turn, { chart, done, fail });
    own.postMessage({ turn, chart });
  });
}

/** The drawing of a flowchart; the last one stays until the next is ready. */
export function useDrawn(chart: Flowchart | null): { drawn: Drawn | null; failed: boolean } {
  const shape = useMemo(() => (chart === null ? '' : JSON.stringify(chart)), [chart]);
  const [held, setHeld] = useState<{ drawn: Drawn | null; failed: boolean }>({ drawn: null, failed: false });
  useEffect(() => {
    if (chart === null) return;
    let wanted = true;
    layOut(chart).then(
      (placed) => { if (wanted) setHeld({ drawn: { chart, placed }, failed: false }); },
      () => { if (wanted) setHeld((before) => ({ drawn: before.drawn, failed: true })); },
    );
    return () => { wanted = false; };
    // The same drawing under another identity is not laid out again.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [shape]);
  return held;
}
