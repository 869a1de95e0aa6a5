/**
 * A long list of which only what is in sight is read: rows by their number from 0, in pages, in any
 * order. Must not know what its rows are.
 */

const PAGE = 100;
/** Pages kept at once; those longest out of sight are let go. */
const KEPT = 80;
/** Pages read at once: what is scrolled past meanwhile is not read at all, so that what comes to rest need not wait. */
const AT_ONCE = 2;

export interface Ranges<Row> { readonly total: number; readonly rows: ReadonlyMap<number, readonly Row[]>; readonly error: unknown; readonly turn: number }

type Fetch<Row> = (first: number, limit: number, signal: AbortSignal) => Promise<{ total: number; rows: Row[] }>;

export class RangeList<Row> {
  private state: Ranges<Row>;
  private readonly fetch: Fetch<Row>;
  private readonly listeners = new Set<() => void>();
  private readonly out = new Set<number>();
  private abort = new AbortController();
  private wanted: readonly [number, number] = [0, 0];

  constructor(fetch: Fetch<Row>, total: number) {
    this.fetch = fetch;
    this.state = { total, rows: new Map(), error: undefined, turn: 0 };
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };

  now = (): Ranges<Row> => this.state;

  row(at: number): Row | undefined {
    return this.state.rows.get(Math.floor(at / PAGE))?.[at % PAGE];
  }

  begin(): void {
    if (this.abort.signal.aborted) this.abort = new AbortController();
    this.read();
  }

  stop(): void {
    this.abort.abort();
    this.out.clear();
  }

  /** It is known to be longer now: what is in sight of its end is read. */
  grow(total: number): void {
    if (total <= this.state.total) return;
    this.set({ total });
    this.read();
  }

  /** These rows are in sight. */
  want(first: number, end: number): void {
    this.wanted = [first, end];
    this.read();
  }

  again = (): void => {
    this.set({ error: undefined });
    this.read();
  };

  private read(): void {
    if (this.state.error !== undefined || this.abort.signal.aborted) return;
    const [first, end] = this.wanted;
    for (let page = Math.floor(first / PAGE); page <= Math.floor(Math.max(first, end - 1) / PAGE); page += 1) {
      const known = this.state.rows.get(page)?.length ?? 0;
      const whole = Math.min(PAGE, this.state.total - page * PAGE);
      if (known < whole && !this.out.has(page) && this.out.size < AT_ONCE) void this.readPage(page);
    }
  }

  private async readPage(page: number): Promise<void> {
    this.out.add(page);
    const known = this.state.rows.get(page)?.length ?? 0;
    const { signal } = this.abort;
    try {
      const answer = await this.fetch(page * PAGE, PAGE, signal);
      if (signal.aborted) return;
      this.out.delete(page);
      const rows = new Map(this.state.rows);
      rows.delete(page);
      rows.set(page, answer.rows);
      const [oldest] = rows.keys();
      if (rows.size > KEPT && oldest !== undefined) rows.delete(oldest);
      this.set({ rows, total: Math.max(answer.total, this.state.total), turn: this.state.turn + 1 });
      // A page that is shorter than it was asked for would be asked for without end.
      if (answer.rows.length > known) this.read();
    } catch (error) {
      if (signal.aborted) return;
      this.out.delete(page);
      this.set({ error });
    }
  }

  private set(given: Partial<Ranges<Row>>): void {
    this.state = { ...this.state, ...given };
    for (const listener of [...this.listeners]) listener();
  }
}
