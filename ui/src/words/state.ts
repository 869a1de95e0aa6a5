/** States, kinds and endings in words, each said in one place. Must not know colours or icons. */

import type { Document } from './kinds';
import type { PlanState, PublishResult, Rejection, RowStanding, Run, Standing } from '../api/types';
import { amount, between, count, duration, localTime } from './time';

/** What a sign looks like: its colour and icon follow from the tone, its words stand beside it. */
export type Tone = 'good' | 'quiet' | 'busy' | 'warn' | 'bad' | 'unsure' | 'info';

export interface Sign { tone: Tone; word: string; sentence: string }

/** How a document stands, for its row, its chip and its tooltip. */
export function documentSign(row: Document): Sign {
  const runs = row.version === null ? 'No version of it runs yet.' : `Version ${row.version} goes on running.`;
  switch (row.state) {
    case 'saved': return { tone: 'good', word: `version ${row.version ?? 1}`, sentence: `Saved. Runs use version ${row.version ?? 1}.` };
    case 'draft': return { tone: 'info', word: 'draft', sentence: `The file passes but is not saved as a version. ${runs}` };
    case 'problems': return { tone: 'bad', word: count(row.problems, 'problem'), sentence: `The file has ${count(row.problems, 'problem')}. ${runs}` };
    case 'missing': return { tone: 'warn', word: 'file gone', sentence: `Its file is gone. ${runs} Save to restore it.` };
    case 'retired': return { tone: 'quiet', word: 'retired', sentence: 'Retired: it can be read, but not changed or run.' };
  }
}

/** How far a view is. */
export function lag(ms: number): string {
  return ms < 1000 ? 'up to date' : `${duration(ms)} behind`;
}

export function rowStandingSign(standing: RowStanding): Sign {
  switch (standing.state) {
    case 'live': return { tone: 'good', word: 'live', sentence: `Live, ${lag(standing.lag_ms)}, ${count(standing.folded, 'event')} folded.` };
    case 'rebuilding': return { tone: 'busy', word: 'rebuilding', sentence: `Being rebuilt: ${count(standing.folded, 'event')} folded so far. Runs are refused until it has caught up.` };
    case 'waiting': return { tone: 'busy', word: 'waiting', sentence: 'Waits for its turn to be rebuilt: at most four views are built at once.' };
    case 'stalled': return { tone: 'bad', word: 'stalled', sentence: `Stalled${standing.kind ? `: ${stallKind(standing.kind).short}` : ''}. Runs are refused until a corrected version is saved.` };
  }
}

/** The standing as one sentence. */
export function standingSentence(standing: Standing): string {
  const folded = `${count(standing.folded, 'event')} folded`;
  switch (standing.state) {
    case 'live': return `Live, ${lag(standing.lag_ms)}, ${folded}.`;
    case 'rebuilding': return standing.known
      ? `Being rebuilt from the first event: ${amount(standing.folded)} of ${count(standing.known, 'event')} folded. Runs are refused meanwhile.`
      : `Being rebuilt from the first event: ${folded}, ${duration(standing.lag_ms)} behind. Runs are refused meanwhile.`;
    case 'waiting': return 'Waits for its turn to be rebuilt: at most four views are built at once. Runs are refused meanwhile.';
    case 'stalled': {
      const at = standing.stalled?.event;
      const event = at ? ` at the event ${at.type}${at.time ? ` of ${localTime(at.time)}` : ''}` : '';
      return `Stalled${event}, ${folded} before it. Runs are refused until a corrected version is saved.`;
    }
  }
}

/** The kinds of stall: what happened, and what to try. */
export function stallKind(kind: string): { short: string; sentence: string; hint: string } {
  switch (kind) {
    case 'raised': return { short: 'the fold raised an error', sentence: 'The fold raised an error.', hint: 'Usual causes: a member that is missing, a value of another type, or a key such as “constructor” read without Object.hasOwn.' };
    case 'work': return { short: 'more work than a fold may do', sentence: 'The fold did more work than one fold may do: 500 checkpoints.', hint: 'Look for a loop that grows with the view, and bound what it walks over.' };
    case 'memory': return { short: 'more memory than its sandbox', sentence: 'The fold used more memory than its sandbox has: 64 MiB.', hint: 'Keep less at once: bound lists and texts before copying them.' };
    case 'unfit': return { short: 'what JSON cannot carry', sentence: 'The fold returned what JSON cannot carry, or a value deeper than 512 levels.', hint: 'A view is JSON: no undefined, Date, Map, Set, BigInt, NaN or class instance.' };
    case 'size': return { short: 'a view larger than 512 KiB', sentence: 'The fold returned a view larger than 512 KiB.', hint: 'Bound each list and text with slice, and drop the oldest.' };
    case 'schema': return { short: 'a view its schema refuses', sentence: 'The fold returned a view that view.schema refuses.', hint: 'Compare what the fold returned with view.schema; either may be the one to change.' };
    case 'refused': return { short: 'the module does not load', sentence: 'The module does not load.', hint: 'Mend the problem at its line, then save.' };
    case 'time': return { short: 'out of time twenty times', sentence: 'The fold ran out of its 10 seconds twenty times.', hint: 'This one depends on the machine. Make the fold do less, or save again on a quieter machine.' };
    case 'crash': return { short: 'the worker crashed twenty times', sentence: 'The worker that folds crashed at this event twenty times.', hint: 'Make the fold simpler at this event; deep recursion is the usual cause.' };
    default: return { short: kind, sentence: `The view stalled: ${kind}.`, hint: 'Save a corrected version.' };
  }
}

export function runSign(status: Run['status'], rejection?: Pick<Rejection, 'kind' | 'reason'>): Sign {
  switch (status) {
    case 'started': return { tone: 'busy', word: 'started', sentence: 'Started, and not ended yet.' };
    case 'succeeded': return { tone: 'good', word: 'succeeded', sentence: 'Succeeded.' };
    case 'rejected':
      return rejection?.kind === 'effect_unknown'
        ? { tone: 'unsure', word: 'effect unknown', sentence: 'Rejected: something outside may have been changed.' }
        : { tone: 'warn', word: 'rejected', sentence: `Rejected: ${reasonWords(rejection)}.` };
    case 'failed': return { tone: 'bad', word: 'failed', sentence: 'The runtime itself broke down.' };
  }
}

/** Why a run was refused, in a few words. */
export function reasonWords(rejection: Pick<Rejection, 'kind' | 'reason'> | undefined): string {
  switch (rejection?.kind) {
    case 'unworkable': return 'it cannot work as written for this input';
    case 'stalled': return 'its view has stalled';
    case 'rebuilding': return 'its view is being rebuilt';
    case 'taken': return 'the id is in use';
    case 'retired': return 'it is retired';
    case 'tools_called': return 'its tools were called, so it is not run again';
    case 'effect_unknown': return 'a tool may have changed something';
    default: break;
  }
  switch (rejection?.reason) {
    case 'invalid_input': return 'the input does not fit';
    case 'conflict': return 'it cannot be done as things stand';
    case 'unavailable': return 'it cannot be done now';
    case 'cancelled': return 'it was cancelled';
    case 'unanswered': return 'nobody answered';
    case 'not_found': return 'there is no such thing';
    default: return rejection?.reason ?? 'no reason was given';
  }
}

/** How a run ended, as the sentence at the top of its page. */
export function runSentence(run: Run): string {
  const what = `Version ${run.definition_version} of ${run.type}/${run.name}`;
  switch (run.status) {
    case 'started': return `${what} started at ${localTime(run.started_at)} and has not ended.`;
    case 'succeeded': return `${what} succeeded after ${between(run.started_at, run.finished_at)}.`;
    case 'rejected': return `${what} was refused: ${reasonWords(run.rejection)}.`;
    case 'failed': return `${what} failed: the runtime itself broke down. That is our mistake, not the document’s.`;
  }
}

/** Who acted. */
export function actor(by: string): string {
  if (by === 'local') return 'you';
  return by.startsWith('playbook:') ? `the playbook ${by.slice(9)}` : by;
}

export function planSign(state: PlanState): Sign {
  switch (state) {
    case 'new': return { tone: 'info', word: 'new', sentence: 'Not on the server yet.' };
    case 'changed_here': return { tone: 'info', word: 'changed here', sentence: 'Changed here since it was last published.' };
    case 'changed_there': return { tone: 'warn', word: 'changed there', sentence: 'Changed on the server since it was last published or pulled; not changed here.' };
    case 'changed_both': return { tone: 'bad', word: 'changed in both', sentence: 'Changed here and on the server. Nothing is sent until you choose.' };
    case 'same': return { tone: 'quiet', word: 'same', sentence: 'The same text, byte for byte.' };
    case 'gone_here': return { tone: 'quiet', word: 'not here', sentence: 'On the server, and not in this folder. It is left as it is there.' };
    case 'blocked': return { tone: 'warn', word: 'blocked', sentence: 'Cannot be published as it stands.' };
    case 'retired_there': return { tone: 'warn', word: 'retired there', sentence: 'Retired on the server. A name is never given back: choose another.' };
  }
}

export function resultSign(result: PublishResult): Sign {
  switch (result.outcome) {
    case 'published': return result.read_back_at
      ? { tone: 'good', word: 'published', sentence: `Published${result.version ? ` as version ${result.version}` : ''} and read back equal.` }
      : { tone: 'unsure', word: 'sent, not proved', sentence: 'Sent, but not read back. Make a new plan to see how it stands.' };
    case 'pulled': return { tone: 'good', word: 'pulled', sentence: 'Their text is now in the folder.' };
    case 'refused': return { tone: 'bad', word: 'refused', sentence: result.detail ?? 'The server refused it.' };
    case 'moved': return { tone: 'warn', word: 'moved', sentence: result.detail ?? 'It changed on the server after the plan was made. Nothing was sent; your text is as it was.' };
    case 'unsure': return { tone: 'unsure', word: 'not sure', sentence: result.detail ?? 'The server did not answer in time. Whether it took the text is not known. Make a new plan to see.' };
    case 'skipped': return { tone: 'quiet', word: 'left out', sentence: 'Left out, as you chose.' };
    case 'not_tried': return { tone: 'quiet', word: 'not tried', sentence: result.detail ?? 'Not tried: something it needs did not go through.' };
  }
}
