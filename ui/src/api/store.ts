/**
 * The store of query results. A row in a list and its page read the same entry, so they cannot
 * disagree. Nothing expires by time: the log says what changed and the mounted queries read again.
 * Must not know what a query means.
 */

import type { Transport } from './transport';
import { Unreachable } from './transport';

export interface Entry<T> {
  /** The last good value; kept while a newer one is read and when reading it failed. */
  readonly value: T | undefined;
  readonly error: unknown;
  readonly reading: boolean;
}

interface Slot {
  entry: Entry<unknown>;
  readonly path: string;
  readonly topics: readonly string[];
  readonly listeners: Set<() => void>;
  turn: number;
  /** True when it must be read again as soon as somebody looks. */
  stale: boolean;
  pending: Promise<void> | null;
  /** Something changed while it was being read. */
  again: boolean;
  /** How long it rests between two reads that changes ask for, in milliseconds. */
  rest: number;
  readAt: number;
  timer: ReturnType<typeof setTimeout> | null;
}

const EMPTY: Entry<never> = { value: undefined, error: undefined, reading: true };
const KEPT_UNWATCHED = 60;

export class Store {
  readonly transport: Transport;
  private readonly slots = new Map<string, Slot>();

  constructor(transport: Transport) {
    this.transport = transport;
  }

  /** What is known about a path now. */
  entry<T>(path: string): Entry<T> {
    return (this.slots.get(path)?.entry ?? EMPTY) as Entry<T>;
  }

  /** Watches a path and reads it when it is not known or stale. Returns the way to stop. */
  watch(path: string, topics: readonly string[], listener: () => void, rest = 0): () => void {
    let slot = this.slots.get(path);
    if (!slot) {
      slot = { entry: EMPTY, path, topics, listeners: new Set(), turn: 0, stale: true, pending: null, again: false, rest, readAt: 0, timer: null };
      this.slots.set(path, slot);
      this.forgetOldest();
    }
    slot.rest = Math.max(slot.rest, rest);
    slot.listeners.add(listener);
    if (slot.stale) void this.read(slot);
    return () => {
      slot.listeners.delete(listener);
      // Nobody looks: what the log says from now on is not followed, so look again next time.
      if (slot.listeners.size === 0) slot.stale = true;
    };
  }

  /** Puts a value that another answer carried, such as the document a save returns. */
  put<T>(path: string, value: T, topics: readonly string[] = [], rest = 0): void {
    let slot = this.slots.get(path);
    if (!slot) {
      slot = { entry: EMPTY, path, topics, listeners: new Set(), turn: 0, stale: false, pending: null, again: false, rest, readAt: 0, timer: null };
      this.slots.set(path, slot);
    }
    slot.turn += 1;
    slot.stale = slot.listeners.size === 0;
    this.show(slot, { value, error: undefined, reading: false });
  }

  /** Reads again what is watched under these topics and marks the rest. */
  invalidate(topics: ReadonlySet<string>): void {
    for (const slot of this.slots.values()) {
      if (!slot.topics.some((topic) => topics.has(topic))) continue;
      slot.stale = true;
      if (slot.listeners.size > 0) this.readRested(slot);
    }
  }

  /** Reads one path again now. */
  refresh(path: string): Promise<void> {
    const slot = this.slots.get(path);
    return slot ? this.read(slot) : Promise.resolve();
  }

  /** After a lost connection: reads everything watched again. */
  refreshAll(): void {
    for (const slot of this.slots.values()) {
      slot.stale = true;
      if (slot.listeners.size > 0) void this.read(slot);
    }
  }

  /** Another playbook: nothing known holds any more. */
  clear(): void {
    for (const [path, slot] of this.slots) {
      if (slot.listeners.size === 0) this.slots.delete(path);
      else {
        slot.turn += 1;
        this.show(slot, EMPTY);
        void this.read(slot);
      }
    }
  }

  /** Reads now, or once the path has rested: what is dear to read is not read ten times a second. */
  private readRested(slot: Slot): void {
    const wait = slot.readAt + slot.rest - Date.now();
    if (wait <= 0) void this.read(slot);
    else slot.timer ??= setTimeout(() => {
      slot.timer = null;
      if (slot.stale && slot.listeners.size > 0) void this.read(slot);
    }, wait);
  }

  /** One read of a path at a time: what changes meanwhile is read after it, so that a busy log cannot starve a screen. */
  private read(slot: Slot): Promise<void> {
    slot.stale = false;
    if (slot.pending) {
      slot.again = true;
      return slot.pending;
    }
    slot.pending = this.readOnce(slot).finally(() => {
      slot.pending = null;
      if (!slot.again) return;
      slot.again = false;
      slot.stale = true;
      if (slot.listeners.size > 0) this.readRested(slot);
    });
    return slot.pending;
  }

  private async readOnce(slot: Slot): Promise<void> {
    const turn = ++slot.turn;
    slot.readAt = Date.now();
    try {
      const value = await this.transport.call<unknown>('GET', slot.path);
      if (turn === slot.turn) this.show(slot, { value, error: undefined, reading: false });
    } catch (error) {
      if (turn !== slot.turn) return;
      // A lost connection is said once, in the status bar; what is on screen stays.
      if (error instanceof Unreachable && slot.entry.value !== undefined) {
        slot.stale = true;
        return;
      }
      this.show(slot, { value: slot.entry.value, error, reading: false });
    }
  }

  private show(slot: Slot, entry: Entry<unknown>): void {
    slot.entry = entry;
    for (const listener of [...slot.listeners]) listener();
  }

  private forgetOldest(): void {
    if (this.slots.size <= KEPT_UNWATCHED) return;
    for (const [path, slot] of this.slots) {
      if (slot.listeners.size === 0) this.slots.delete(path);
      if (this.slots.size <= KEPT_UNWATCHED) return;
    }
  }
}
