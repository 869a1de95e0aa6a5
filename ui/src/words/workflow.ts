/** What happens in a workflow's run, in words said in one place. */

import type { Run } from '../api/types';
import type { InputKind, Outcome, Wait, WorkflowRun } from '../api/workflow';
import { runSentence, type Sign } from './state';
import { localTime } from './time';

export function outcomeSign(outcome: Outcome): Sign {
  switch (outcome) {
    case 'started': return { tone: 'busy', word: 'started', sentence: 'It started, and its own steps go on.' };
    case 'waiting': return { tone: 'info', word: 'waits', sentence: 'It waits.' };
    case 'completed': return { tone: 'good', word: 'completed', sentence: 'It completed.' };
    case 'skipped': return { tone: 'quiet', word: 'skipped', sentence: 'Its condition did not hold, so it was skipped.' };
    case 'raised': return { tone: 'bad', word: 'raised', sentence: 'It raised an error.' };
    case 'timed_out': return { tone: 'warn', word: 'timed out', sentence: 'Its time ran out.' };
    case 'cancelled': return { tone: 'quiet', word: 'cancelled', sentence: 'It was cancelled.' };
  }
}

export function inputWords(kind: InputKind): string {
  switch (kind) {
    case 'started': return 'start';
    case 'timer_fired': return 'timer';
    case 'call_answered': return 'answer';
    case 'event_received': return 'event sent';
    case 'event_offered': return 'event';
    case 'cancel_requested': return 'cancel';
  }
}

/** What one wait is for, and until when. */
export function waitWords(wait: Wait): string {
  const until = wait.until ? `, until ${localTime(wait.until)} at the latest` : '';
  switch (wait.for) {
    case 'call': return `${wait.name} waits for the run it called${until}`;
    case 'timer': return `${wait.name} waits until ${localTime(wait.until)}`;
    case 'event': return `${wait.name} waits for an event${until}`;
    case 'retry': return `${wait.name} is tried again at ${localTime(wait.until)}`;
  }
}

/** The sentence at the top of a workflow's run. */
export function workflowSentence({ run, waits }: Pick<WorkflowRun, 'run' | 'waits'>): string {
  if (run.status !== 'started') return runSentence(run);
  const what = `Version ${run.definition_version} of workflow/${run.name}`;
  const first = waits[0];
  if (!first) return `${what} goes on.`;
  const more = waits.length === 1 ? '' : waits.length === 2 ? ', and one other wait' : `, and ${waits.length - 1} other waits`;
  return `${what} goes on: ${waitWords(first)}${more}.`;
}

export function workflowSign(run: Run, waits: readonly Wait[], sign: Sign): Sign {
  return run.status === 'started' && waits.length > 0 ? { tone: 'info', word: 'waits', sentence: 'It waits, and uses nothing meanwhile.' } : sign;
}

/** What started it, where a trigger did. */
export function triggerWords(kind: string): string {
  return kind === 'event' ? 'its event trigger' : kind === 'cron' ? 'its cron schedule' : kind === 'every' ? 'its period' : kind;
}
