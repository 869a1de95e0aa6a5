/**
 * A list read in pages from the newest, which grows at its end as it is scrolled and gathers what is
 * new at its beginning. Must not know what its rows are.
 */

export interface Page<Row> { rows: Row[]; next: string | null }

export interface Pages<Row> {
  readonly rows: readonly Row[];
  /** Rows that came in and are not shown yet, newest first. */
  readonly gathered: readonly Row[];
  readonly next: string | null;
  readonly reading: boolean;
  readonly error: unknown;
  readonly began: boolean;
}

type Fetch<Row> = (cursor: string | null, limit: number, signal: AbortSignal) => Promise<Page<Row>>;

const PAGE = 100;
/** Past this many pages of news the list begins again from the newest. */
const NEWS_PAGES = 10;
/** Empty pages in a row that are read without being asked. */
const EMPTY_PAGES = 40;

export class PagedList<Row> {
  private state: Pages<Row> = { rows: [], gathered: [], next: null, reading: false, error: undefined, began: false };
  private readonly listeners = new Set<() => void>();
  private readonly fetch: Fetch<Row>;
  private readonly keyOf: (row: Row) => string;
  private abort = new AbortController();
  private readonly known = new Set<string>();
  private newsTurn: Promise<void> | null = null;
  private newsAgain = false;

  constructor(fetch: Fetch<Row>, keyOf: (row: Row) => string) {
    this.fetch = fetch;
    this.keyOf = keyOf;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };

  now = (): Pages<Row> => this.state;

  /** Begins, or begins again after a stop. */
  begin(): void {
    if (!this.abort.signal.aborted) return;
    this.abort = new AbortController();
    this.set({ reading: false });
  }

  stop(): void {
    this.abort.abort();
  }

  /** Reads on at the end; page after page while they are empty, since a filter may match nothing for long. */
  more = async (): Promise<void> => {
    if (this.state.reading || (this.state.began && this.state.next === null)) return;
    this.set({ reading: true, error: undefined });
    try {
      for (let turn = 0; turn < EMPTY_PAGES; turn += 1) {
        const page = await this.fetch(this.state.next, PAGE, this.abort.signal);
        const fresh = this.fresh(page.rows);
        this.set({ rows: [...this.state.rows, ...fresh], next: page.next, began: true });
        if (fresh.length > 0 || page.next === null) break;
      }
      this.set({ reading: false });
    } catch (error) {
      if (!this.abort.signal.aborted) this.set({ reading: false, error, began: true });
    }
  };

  /** Something was recorded: reads from the newest down to what is known. */
  news = (): Promise<void> => {
    if (!this.state.began) return Promise.resolve();
    if (this.newsTurn) {
      this.newsAgain = true;
      return this.newsTurn;
    }
    this.newsTurn = this.readNews().finally(() => {
      this.newsTurn = null;
      if (this.newsAgain) {
        this.newsAgain = false;
        void this.news();
      }
    });
    return this.newsTurn;
  };

  /** Shows what was gathered. */
  show = (): void => {
    if (this.state.gathered.length > 0) this.set({ rows: [...this.state.gathered, ...this.state.rows], gathered: [] });
  };

  private async readNews(): Promise<void> {
    const found: Row[] = [];
    const seen = new Set<string>();
    let cursor: string | null = null;
    try {
      for (let turn = 0; turn < NEWS_PAGES; turn += 1) {
        const page: Page<Row> = await this.fetch(cursor, PAGE, this.abort.signal);
        let met = page.rows.length === 0;
        for (const row of page.rows) {
          const key = this.keyOf(row);
          if (this.known.has(key)) { met = true; continue; }
          if (!seen.has(key)) { seen.add(key); found.push(row); }
        }
        if (met || page.next === null) {
          for (const key of seen) this.known.add(key);
          // A row that was known may stand differently now, such as a run that ended.
          const newest = new Map(page.rows.map((row) => [this.keyOf(row), row]));
          const renew = (rows: readonly Row[]) => rows.map((row) => newest.get(this.keyOf(row)) ?? row);
          this.set({ gathered: [...found, ...renew(this.state.gathered)], rows: renew(this.state.rows) });
          return;
        }
        cursor = page.next;
      }
      // Too much came in to walk back over: begin again from the newest.
      this.known.clear();
      for (const row of found) this.known.add(this.keyOf(row));
      this.set({ rows: found, gathered: [], next: cursor });
    } catch {
      // The next change asks again; a lost connection is said in the status bar.
    }
  }

  private fresh(rows: readonly Row[]): Row[] {
    return rows.filter((row) => {
      const key = this.keyOf(row);
      if (this.known.has(key)) return false;
      this.known.add(key);
      return true;
    });
  }

  private set(given: Partial<Pages<Row>>): void {
    this.state = { ...this.state, ...given };
    for (const listener of [...this.listeners]) listener();
  }
}
