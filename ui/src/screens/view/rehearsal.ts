/** Trying a text on many events: begun, followed, stopped. Nothing is recorded by it. */

import { useCallback, useEffect, useRef, useState } from 'react';
import { useStudio } from '../../api/react';
import { Unreachable } from '../../api/transport';
import type { Problem, Rehearsal, RehearsalScope } from '../../api/types';

const POLL_MS = 300;

export interface Trial {
  text: string;
  scope: RehearsalScope;
  /** Null until it was begun. */
  id: string | null;
  answer: Rehearsal | null;
  problems: readonly Problem[] | null;
  error: unknown;
}

export interface Trials {
  trial: Trial | null;
  start: (text: string, scope: RehearsalScope) => void;
  stop: () => void;
}

export const isGoing = (trial: Trial | null): boolean =>
  trial !== null && trial.error === null && trial.problems === null && (trial.answer === null || trial.answer.state === 'going');

/** The trials of a view; `of` names the stall they are about, and another one forgets them. */
export function useTrials(name: string, of: string | null): Trials {
  const studio = useStudio();
  const [trial, setTrial] = useState<Trial | null>(null);
  const turn = useRef(0);
  const newest = useRef(trial);
  newest.current = trial;
  const change = useCallback((mine: number, more: Partial<Trial>) => {
    if (mine === turn.current) setTrial((before) => (before ? { ...before, ...more } : before));
  }, []);

  const start = useCallback((text: string, scope: RehearsalScope) => {
    const mine = ++turn.current;
    setTrial({ text, scope, id: null, answer: null, problems: null, error: null });
    studio.rehearse(name, text, scope).then(
      ({ rehearsal, problems }) => change(mine, rehearsal === undefined ? { problems: problems ?? [] } : { id: rehearsal }),
      (error: unknown) => change(mine, { error }),
    );
  }, [studio, name, change]);

  const id = trial?.id ?? null;
  const going = isGoing(trial);
  useEffect(() => {
    if (id === null || !going) return;
    const mine = turn.current;
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = () => {
      studio.rehearsal(name, id, abort.signal).then(
        (answer) => {
          change(mine, { answer });
          if (answer.state === 'going') timer = setTimeout(ask, POLL_MS);
        },
        (error: unknown) => {
          if (abort.signal.aborted) return;
          // Nobody answers for now: it goes on over there, so it is asked again.
          if (error instanceof Unreachable) timer = setTimeout(ask, POLL_MS * 3);
          else change(mine, { error });
        },
      );
    };
    ask();
    return () => { clearTimeout(timer); abort.abort(); };
  }, [studio, name, id, going, change]);

  const stop = useCallback(() => {
    const now = newest.current;
    if (now?.id && isGoing(now)) void studio.stopRehearsal(name, now.id).catch(() => undefined);
  }, [studio, name]);
  // Another stall, or another screen: nobody looks at it any more.
  useEffect(() => () => {
    stop();
    turn.current += 1;
    setTrial(null);
  }, [stop, of]);
  return { trial, start, stop };
}
