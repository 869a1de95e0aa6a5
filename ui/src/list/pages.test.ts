// @vitest-environment node
import { describe, expect, test } from 'vitest';
import { PagedList } from './pages';

/** A log of numbers, newest first, in pages that end where the number of the cursor begins. */
class Log {
  newest: number;
  readonly asked: (string | null)[] = [];
  constructor(newest: number) { this.newest = newest; }
  fetch = (cursor: string | null, limit: number) => {
    this.asked.push(cursor);
    const from = cursor === null ? this.newest : Number(cursor);
    const rows = Array.from({ length: Math.min(limit, from) }, (_, index) => from - index);
    const left = from - rows.length;
    return Promise.resolve({ rows, next: left > 0 ? String(left) : null });
  };
}

const listOf = (log: Log) => new PagedList<number>(log.fetch, String);

describe('a list in pages', () => {
  test('reads on at its end until the first row, and then no more', async () => {
    const log = new Log(250);
    const list = listOf(log);
    await list.more();
    expect(list.now().rows).toHaveLength(100);
    await list.more();
    await list.more();
    await list.more();
    expect(list.now()).toMatchObject({ next: null, reading: false });
    expect(list.now().rows.at(-1)).toBe(1);
    expect(log.asked).toEqual([null, '150', '50']);
  });

  test('gathers what is new, and shows it once asked', async () => {
    const log = new Log(120);
    const list = listOf(log);
    await list.more();
    log.newest = 132;
    await list.news();
    expect(list.now().gathered).toHaveLength(12);
    expect(list.now().rows[0]).toBe(120);
    list.show();
    expect(list.now().gathered).toHaveLength(0);
    expect(list.now().rows.slice(0, 14)).toEqual([132, 131, 130, 129, 128, 127, 126, 125, 124, 123, 122, 121, 120, 119]);
  });

  test('reads back over several pages of news without a hole and without a double', async () => {
    const log = new Log(50);
    const list = listOf(log);
    await list.more();
    log.newest = 400;
    await list.news();
    list.show();
    expect(list.now().rows).toEqual(Array.from({ length: 400 }, (_, index) => 400 - index));
  });

  test('begins again from the newest when too much came in', async () => {
    const log = new Log(50);
    const list = listOf(log);
    await list.more();
    log.newest = 5000;
    await list.news();
    expect(list.now().rows[0]).toBe(5000);
    expect(list.now().rows).toHaveLength(1000);
    await list.more();
    expect(list.now().rows[1000]).toBe(4000);
  });

  test('an empty page with more behind it is read over', async () => {
    const pages = [{ rows: [], next: 'a' }, { rows: [], next: 'b' }, { rows: [3, 2, 1], next: null }];
    const list = new PagedList<number>(() => Promise.resolve(pages.shift() ?? { rows: [], next: null }), String);
    await list.more();
    expect(list.now()).toMatchObject({ rows: [3, 2, 1], next: null });
  });

  test('a failed read keeps what is there and can be asked again', async () => {
    let fails = false;
    const log = new Log(250);
    const list = new PagedList<number>((cursor, limit) => (fails ? Promise.reject(new Error('lost')) : log.fetch(cursor, limit)), String);
    await list.more();
    fails = true;
    await list.more();
    expect(list.now()).toMatchObject({ reading: false });
    expect(list.now().error).toBeInstanceOf(Error);
    expect(list.now().rows).toHaveLength(100);
    fails = false;
    await list.more();
    expect(list.now().rows).toHaveLength(200);
  });
});
