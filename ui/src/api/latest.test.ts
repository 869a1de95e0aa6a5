// @vitest-environment node
import { describe, expect, test } from 'vitest';
import { Latest } from './latest';

/** A server that answers when the test says so. */
function slow() {
  const asked: { key: number; answer: (value: string) => void; refuse: (error: unknown) => void; signal: AbortSignal }[] = [];
  const told: string[] = [];
  const latest = new Latest<number, string>(
    (key, signal) => new Promise((answer, refuse) => { asked.push({ key, answer, refuse, signal }); }),
    (key, value) => told.push(`${key}: ${value}`),
    (key, error) => told.push(`${key}! ${String(error)}`),
  );
  return { asked, told, latest, keys: () => asked.map((one) => one.key), soon: () => new Promise((done) => { setTimeout(done, 0); }) };
}

describe('one request at a time', () => {
  test('what was passed over while one was out is never asked for', async () => {
    const { asked, told, latest, keys, soon } = slow();
    for (let at = 1; at <= 100; at += 1) latest.want(at);
    expect(keys()).toEqual([1]);
    asked[0]?.answer('first');
    await soon();
    expect(keys()).toEqual([1, 100]);
    asked[1]?.answer('last');
    await soon();
    expect(keys()).toEqual([1, 100]);
    expect(told).toEqual(['1: first', '100: last']);
  });

  test('what is out already is not asked for twice', async () => {
    const { asked, latest, keys, soon } = slow();
    latest.want(1);
    latest.want(2);
    latest.want(1);
    asked[0]?.answer('');
    await soon();
    expect(keys()).toEqual([1]);
  });

  test('a refusal is told only where nothing newer is wanted, and the next goes out all the same', async () => {
    const { asked, told, latest, keys, soon } = slow();
    latest.want(1);
    latest.want(2);
    asked[0]?.refuse('not there');
    await soon();
    expect(told).toEqual([]);
    expect(keys()).toEqual([1, 2]);
    asked[1]?.refuse('not there');
    await soon();
    expect(told).toEqual(['2! not there']);
  });

  test('after the end nothing is told and nothing is asked', async () => {
    const { asked, told, latest, keys, soon } = slow();
    latest.want(1);
    latest.want(2);
    latest.stop();
    expect(asked[0]?.signal.aborted).toBe(true);
    asked[0]?.answer('late');
    await soon();
    expect(told).toEqual([]);
    expect(keys()).toEqual([1]);
  });
});
