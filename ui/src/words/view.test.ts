// @vitest-environment node
import { describe, expect, test } from 'vitest';
import { caseName, eventsInAll, growthWords, keptWords, nextName, progressWords, rehearsedWords, saveWords, takenWords, waitingWords } from './view';

describe('progress in words', () => {
  test('how far, how fast, how long', () => {
    expect(progressWords(4211, 18_204, 1000)).toBe('4,211 of 18,204 events, 4,211 a second, 3.3 s left');
    expect(progressWords(5, 18_204, 2000)).toBe('5 of 18,204 events, 2.5 a second, 2 h 1 min left');
  });
  test('nothing is said of a speed before it can be', () => {
    expect(progressWords(0, 10, 5000)).toBe('0 of 10 events');
    expect(progressWords(9, 10, 100)).toBe('9 of 10 events');
    expect(progressWords(9, null, 1000)).toBe('9 events, 9 a second');
    expect(progressWords(12, 10, 1000)).toBe('10 of 10 events, 12 a second');
  });
  test('how a trial of many events came out', () => {
    const one = { scope: 'all' as const, folded: 18_204, read: 18_204, known: 18_204, ms: 3400, view_bytes: 1200 };
    expect(rehearsedWords({ ...one, state: 'reached_end' })).toBe('All 18,204 events fold, in 3.4 s. The view would take 1,200 bytes.');
    expect(rehearsedWords({ ...one, state: 'reached_end', scope: 'last', folded: 1 })).toBe('The one event tried folds, in 3.4 s. The others were not tried.');
    expect(rehearsedWords({ ...one, state: 'reached_end', folded: 0 })).toBe('This text takes no event. The view would be as it is before any.');
    expect(rehearsedWords({ ...one, state: 'stalled', stalled: { index: 12, event: {}, before: null, kind: 'raised', error: null, line: null } })).toBe('At event 12 of those it takes, after 3.4 s.');
    expect(rehearsedWords({ ...one, state: 'stopped', folded: 3 })).toBe('Stopped after 3 events.');
  });
});

test('how many events there are in all, when it is known', () => {
  expect(eventsInAll(10, { waiting: 4 })).toEqual({ count: 15, words: '15 events' });
  expect(eventsInAll(10, { waiting: 10_000 })?.words).toBe('more than 10,010 events');
  expect(eventsInAll(10, { waiting: null })).toBeNull();
});

test('what waits behind a stall', () => {
  expect(waitingWords({ waiting: 1 })).toBe('1 event waits behind it.');
  expect(waitingWords({ waiting: 0 })).toBe('No event waits behind it.');
  expect(waitingWords({ waiting: 500, counting: true })).toBe('More than 500 events wait behind it.');
  expect(waitingWords({ waiting: 10_000 })).toBe('More than 10,000 events wait behind it.');
  expect(waitingWords({})).toBe('');
});

test('what a save brings about is said, proved or not', () => {
  expect(saveWords(3, true)).toBe('Version 4 is built from the first event; runs are refused meanwhile.');
  expect(saveWords(3, false)).toMatch(/^Not every event was tried/);
});

test('sizes, filters and names', () => {
  expect(growthWords(10, 12)).toBe('+2 bytes');
  expect(growthWords(12, 11)).toBe('−1 byte');
  expect(growthWords(12, 12)).toBe('same size');
  expect(growthWords(null, 12)).toBe('');
  expect(takenWords({ sentence: 's', taken: 0 }, 0)).toBe('It took no event.');
  expect(takenWords({ sentence: 's', taken: 2 }, 0)).toContain('none was folded');
  expect(takenWords({ sentence: 's', taken: null }, 9)).toBeNull();
  expect(caseName('raised', 'com.example.campaign.spend')).toBe('spend-raised');
  expect(caseName('size', 'run_succeeded')).toBe('run-succeeded-size');
  expect(caseName('size', '99')).toBe('size');
  expect(nextName('spend-raised')).toBe('spend-raised-2');
  expect(nextName('spend-raised-2')).toBe('spend-raised-3');
  expect(keptWords({ bytes_before: 4096, bytes_after: 210, folds: 57 })).toBe('The event and the view before it shrank from 4.0 KiB to 210 bytes, and still stall the same way (57 folds tried).');
});
