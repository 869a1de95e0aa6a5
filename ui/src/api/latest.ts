/**
 * Asks for what is wanted now, one request at a time. While one is out, only the newest wish is
 * kept: a slider that is dragged over a thousand places asks for the few it can be answered.
 */

export class Latest<Key, Value> {
  private readonly ask: (key: Key, signal: AbortSignal) => Promise<Value>;
  private readonly told: (key: Key, value: Value) => void;
  private readonly failed: (key: Key, error: unknown) => void;
  private out: { key: Key; abort: AbortController } | null = null;
  private next: { key: Key } | null = null;

  constructor(ask: (key: Key, signal: AbortSignal) => Promise<Value>, told: (key: Key, value: Value) => void, failed: (key: Key, error: unknown) => void) {
    this.ask = ask;
    this.told = told;
    this.failed = failed;
  }

  want(key: Key): void {
    if (!this.out) this.send(key);
    else if (this.out.key === key) this.next = null;
    else this.next = { key };
  }

  /** Nobody waits any more. */
  stop(): void {
    this.next = null;
    this.out?.abort.abort();
    this.out = null;
  }

  private send(key: Key): void {
    const mine = { key, abort: new AbortController() };
    this.out = mine;
    this.ask(key, mine.abort.signal).then(
      (value) => this.back(mine, () => this.told(key, value)),
      (error: unknown) => this.back(mine, () => { if (!this.next) this.failed(key, error); }),
    );
  }

  private back(mine: { key: Key; abort: AbortController }, tell: () => void): void {
    if (this.out !== mine) return;
    this.out = null;
    tell();
    const { next } = this;
    this.next = null;
    if (next) this.send(next.key);
  }
}
