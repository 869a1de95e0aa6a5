// @vitest-environment node
import { afterEach, describe, expect, test, vi } from 'vitest';
import { follow, type Connection } from './changes';
import { Unreachable, type Transport } from './transport';
import type { Change, Changes } from './types';

afterEach(() => vi.useRealTimers());

describe('following the changes', () => {
  test('asks after the newest number it knows, and tells of changes together', async () => {
    vi.useFakeTimers();
    const answers: Changes[] = [{ seq: 7, changes: [] }, { seq: 8, changes: [{ topic: 'log' }] }, { seq: 9, changes: [{ topic: 'views' }] }];
    const asked: string[] = [];
    const transport: Transport = {
      call: <T>(_: string, path: string) => {
        asked.push(path);
        const answer = answers.shift();
        return answer ? Promise.resolve(answer as T) : new Promise<T>(() => undefined);
      },
    };
    const told: Change[][] = [];
    const stop = follow(transport, { changed: (changes) => told.push(changes), connection: () => undefined });
    await vi.advanceTimersByTimeAsync(150);
    stop();
    expect(asked).toEqual(['/studio/api/changes', '/studio/api/changes?after=7', '/studio/api/changes?after=8', '/studio/api/changes?after=9']);
    expect(told).toEqual([[{ topic: 'log' }, { topic: 'views' }]]);
  });

  test('says when the connection is lost and when it is back', async () => {
    vi.useFakeTimers();
    let lost = true;
    const states: Connection[] = [];
    const transport: Transport = {
      call: <T>(_: string, path: string) => {
        if (lost) return Promise.reject(new Unreachable());
        return path.includes('after') ? new Promise<T>(() => undefined) : Promise.resolve({ seq: 1, changes: [] } as T);
      },
    };
    const stop = follow(transport, { changed: () => undefined, connection: (state) => states.push(state) });
    await vi.advanceTimersByTimeAsync(10);
    expect(states).toEqual(['lost']);
    lost = false;
    await vi.advanceTimersByTimeAsync(600);
    stop();
    expect(states).toEqual(['lost', 'connected']);
  });
});
