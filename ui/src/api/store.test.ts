import { describe, expect, test, vi } from 'vitest';
import { FakeTransport } from '../testing/fake';
import { Store } from './store';
import { Unreachable } from './transport';

const settled = () => new Promise((done) => setTimeout(done, 0));

describe('the store', () => {
  test('reads a path once for all who look, and again when its topic changes', async () => {
    let turn = 0;
    const transport = new FakeTransport().on('GET /runs', () => ({ turn: ++turn }));
    const store = new Store(transport);
    const heard = vi.fn();
    store.watch('/runs', ['log'], heard);
    store.watch('/runs', ['log'], heard);
    await settled();
    expect(store.entry('/runs').value).toEqual({ turn: 1 });
    expect(transport.calls).toHaveLength(1);

    store.invalidate(new Set(['documents']));
    await settled();
    expect(transport.calls).toHaveLength(1);
    store.invalidate(new Set(['log']));
    await settled();
    expect(store.entry('/runs').value).toEqual({ turn: 2 });
  });

  test('keeps the last good value when reading it again fails, with the error beside', async () => {
    let fails = false;
    const transport = new FakeTransport().on('GET /a', () => { if (fails) throw new Error('broken'); return 1; });
    const store = new Store(transport);
    store.watch('/a', ['log'], () => undefined);
    await settled();
    fails = true;
    store.invalidate(new Set(['log']));
    await settled();
    expect(store.entry('/a').value).toBe(1);
    expect(store.entry('/a').error).toBeInstanceOf(Error);
  });

  test('a lost connection leaves what is on screen as it is', async () => {
    let lost = false;
    const transport = new FakeTransport().on('GET /a', () => { if (lost) throw new Unreachable(); return 1; });
    const store = new Store(transport);
    store.watch('/a', ['log'], () => undefined);
    await settled();
    lost = true;
    store.invalidate(new Set(['log']));
    await settled();
    expect(store.entry('/a')).toEqual({ value: 1, error: undefined, reading: false });
    lost = false;
    store.refreshAll();
    await settled();
    expect(transport.calls).toHaveLength(3);
  });

  test('changes during a read are read after it, never beside it', async () => {
    const release: (() => void)[] = [];
    let running = 0;
    let most = 0;
    const transport = new FakeTransport().on('GET /a', async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise<void>((done) => release.push(done));
      running -= 1;
      return release.length;
    });
    const store = new Store(transport);
    store.watch('/a', ['log'], () => undefined);
    await settled();
    for (let turn = 0; turn < 5; turn += 1) store.invalidate(new Set(['log']));
    release[0]?.();
    await settled();
    expect(transport.calls).toHaveLength(2);
    release[1]?.();
    await settled();
    expect(most).toBe(1);
    expect(store.entry('/a').value).toBe(2);
  });

  test('a value put by a save is not overwritten by a read that began before it', async () => {
    let release: (value: string) => void = () => undefined;
    const transport = new FakeTransport().on('GET /a', () => new Promise((done) => { release = done; }));
    const store = new Store(transport);
    store.watch('/a', [], () => undefined);
    await settled();
    store.put('/a', 'saved');
    release('older');
    await settled();
    expect(store.entry('/a').value).toBe('saved');
  });

  test('what is dear to read rests between two reads, and still ends with the newest', async () => {
    vi.useFakeTimers();
    let turn = 0;
    const transport = new FakeTransport().on('GET /folder', () => ++turn);
    const store = new Store(transport);
    store.watch('/folder', ['views'], () => undefined, 700);
    await vi.advanceTimersByTimeAsync(1);
    for (let tick = 0; tick < 10; tick += 1) {
      store.invalidate(new Set(['views']));
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(transport.calls.length).toBe(2);
    await vi.advanceTimersByTimeAsync(700);
    expect(store.entry('/folder').value).toBe(3);
    await vi.advanceTimersByTimeAsync(5000);
    expect(transport.calls.length).toBe(3);
    // Asked for by a person, it does not wait.
    void store.refresh('/folder');
    await vi.advanceTimersByTimeAsync(1);
    expect(store.entry('/folder').value).toBe(4);
  });
});
