/** What a view's screens say of its building, its trying out and its events. Must not know colours or icons. */

import type { FilterRow, Rehearsal, RehearsalScope, ScrubStep, StallDetail } from '../api/types';
import { amount, bytes, count, duration } from './time';

/** Too few to say how fast it goes. */
const SPEED_AFTER_MS = 500;

/** `5,300 a second, 3 s left`; nothing before it can be told. */
export function speedWords(done: number, known: number | null | undefined, ms: number): string {
  if (ms < SPEED_AFTER_MS || done <= 0) return '';
  const speed = (done * 1000) / ms;
  const left = known && known > done ? ((known - done) / speed) * 1000 : 0;
  return `${amount(speed < 10 ? Math.round(speed * 10) / 10 : Math.round(speed))} a second${left >= 1000 ? `, ${duration(left)} left` : ''}`;
}

/** `4,211 of 18,204 events, 5,300 a second, 3 s left`. */
export function progressWords(done: number, known: number | null | undefined, ms: number): string {
  const far = known ? `${amount(Math.min(done, known))} of ${count(known, 'event')}` : count(done, 'event');
  const speed = speedWords(done, known, ms);
  return speed === '' ? far : `${far}, ${speed}`;
}

/** How many events a stalled view has to fold in all: a count, `more than` it, or null when not known. */
export function eventsInAll(folded: number, { waiting, counting }: Pick<StallDetail, 'waiting' | 'counting'>): { count: number; words: string } | null {
  if (typeof waiting !== 'number') return null;
  const all = folded + 1 + waiting;
  return { count: all, words: waiting >= 10_000 || counting ? `more than ${count(all - 1, 'event')}` : count(all, 'event') };
}

/** What a scope tries, in words. */
export function scopeWords(scope: RehearsalScope, all: { count: number } | null): string {
  return scope === 'last'
    ? 'The last 100: those up to the stall, folded from the view before any event.'
    : `${all === null ? 'All' : `All ${amount(all.count)}`}: from the first event, as a rebuild would.`;
}

/** How a trial of many events came out. */
export function rehearsedWords(one: Pick<Rehearsal, 'state' | 'scope' | 'folded' | 'read' | 'known' | 'ms' | 'view_bytes' | 'stalled'>): string {
  const { scope, folded } = one;
  switch (one.state) {
    case 'going': return progressWords(one.read, one.known, one.ms);
    case 'reached_end': {
      const size = `The view would take ${amount(one.view_bytes)} bytes.`;
      if (folded === 0) return 'This text takes no event. The view would be as it is before any.';
      return scope === 'all' ? `${folded === 1 ? 'The one event folds' : `All ${count(folded, 'event')} fold`}, in ${duration(one.ms)}. ${size}`
        : `${folded === 1 ? 'The one event tried folds' : `The ${count(folded, 'event')} tried fold`}, in ${duration(one.ms)}. The others were not tried.`;
    }
    case 'stalled': return `At event ${amount(one.stalled?.index ?? folded + 1)} of those it takes, after ${duration(one.ms)}.`;
    case 'stopped': return `Stopped after ${count(folded, 'event')}.`;
    case 'failed': return `It broke off after ${count(folded, 'event')}: that is our mistake, not the text’s. Try again.`;
  }
}

/** What follows a save of the bench's text. */
export function saveWords(version: number, proved: boolean): string {
  const next = `Version ${version + 1} is built from the first event; runs are refused meanwhile.`;
  return proved ? next : `Not every event was tried, so it may stall again. ${next}`;
}

/** `+12 bytes`, `−3 bytes`, `same size`. */
export function growthWords(before: number | null, after: number): string {
  if (before === null || before === after) return before === null ? '' : 'same size';
  const by = after - before;
  return `${by > 0 ? '+' : '−'}${count(Math.abs(by), 'byte')}`;
}

export const workWords = (work: number): string => (work === 0 ? 'under 1 checkpoint' : count(work, 'checkpoint'));

/** The step's facts in one line. */
export function stepWords(step: Pick<ScrubStep, 'bytes_before' | 'bytes_after' | 'work' | 'ms'>): string {
  const grown = growthWords(step.bytes_before, step.bytes_after);
  const spent = typeof step.work === 'number' ? `, ${workWords(step.work)} of 500` : '';
  return `${count(step.bytes_after, 'byte')}${grown === '' ? '' : ` (${grown})`}${spent}`;
}

/** How many events a filter took, as far as it was counted; null when it was not. */
export function takenWords(filter: FilterRow, folded: number): string | null {
  if (typeof filter.taken !== 'number') return null;
  if (filter.counting) return `${count(filter.taken, 'matching event')} so far; still counting.`;
  if (filter.taken === 0) return 'It took no event.';
  return folded === 0
    ? `${count(filter.taken, 'recorded event')} ${filter.taken === 1 ? 'has' : 'have'} this type and these attributes; none was folded.`
    : `${count(filter.taken, 'recorded event')} ${filter.taken === 1 ? 'has' : 'have'} this type and these attributes.`;
}

/** A name for a case that nobody has to think about: what happened, and to which event. */
export function caseName(kind: string, type: string): string {
  const last = type.split('.').at(-1) ?? type;
  const plain = `${last}-${kind}`.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^[^a-z]+/, '').replace(/-+$/, '').slice(0, 48);
  return plain.length < 3 ? `stall-${kind}` : plain;
}

/** The same name with the next number behind it. */
export function nextName(name: string): string {
  const found = /^(.*)-(\d+)$/.exec(name);
  return found ? `${found[1]}-${Number(found[2]) + 1}` : `${name}-2`;
}

/** What keeping a case did. */
export function keptWords(kept: { bytes_before: number; bytes_after: number; folds: number }): string {
  return kept.bytes_after < kept.bytes_before
    ? `The event and the view before it shrank from ${bytes(kept.bytes_before)} to ${bytes(kept.bytes_after)}, and still stall the same way (${count(kept.folds, 'fold')} tried).`
    : `The event and the view before it are as they came, ${bytes(kept.bytes_after)}: nothing could be left out without losing the stall.`;
}

/** `1 added, 2 changed`. */
export function differencesWords({ added, removed, changed }: { added: number; removed: number; changed: number }): string {
  const parts = [added > 0 && `${amount(added)} added`, changed > 0 && `${amount(changed)} changed`, removed > 0 && `${amount(removed)} removed`].filter(Boolean);
  return parts.length === 0 ? 'nothing changed' : parts.join(', ');
}

/** What waits behind a stall; nothing while it is not known. */
export function waitingWords({ waiting, counting }: Pick<StallDetail, 'waiting' | 'counting'>): string {
  if (typeof waiting !== 'number') return '';
  if (waiting === 0) return counting ? '' : 'No event waits behind it.';
  return `${waiting >= 10_000 || counting ? 'More than ' : ''}${count(waiting, 'event')} ${waiting === 1 ? 'waits' : 'wait'} behind it.`;
}
