// @vitest-environment node
import { describe, expect, test } from 'vitest';
import { RangeList } from './ranges';

const rest = () => new Promise((done) => { setTimeout(done, 0); });

class Log {
  readonly asked: number[] = [];
  total: number;
  constructor(total: number) { this.total = total; }
  fetch = (first: number, limit: number) => {
    this.asked.push(first);
    return Promise.resolve({ total: this.total, rows: Array.from({ length: Math.max(0, Math.min(limit, this.total - first)) }, (_, at) => first + at) });
  };
}

describe('a list read where it is looked at', () => {
  test('only the pages in sight are read, and each once', async () => {
    const log = new Log(20_000);
    const list = new RangeList<number>(log.fetch, 20_000);
    list.want(0, 60);
    await rest();
    expect(list.row(59)).toBe(59);
    list.want(15_190, 15_230);
    await rest();
    expect([list.row(15_190), list.row(15_229), list.row(5000)]).toEqual([15_190, 15_229, undefined]);
    list.want(15_180, 15_220);
    await rest();
    expect(log.asked).toEqual([0, 15_100, 15_200]);
  });

  test('what is scrolled past while others are read is not read', async () => {
    const waiting: (() => void)[] = [];
    const asked: number[] = [];
    const list = new RangeList<number>((first, limit) => new Promise((done) => {
      asked.push(first);
      waiting.push(() => done({ total: 20_000, rows: Array.from({ length: limit }, (_, at) => first + at) }));
    }), 20_000);
    for (let first = 0; first < 12_000; first += 100) list.want(first, first + 40);
    expect(asked).toEqual([0, 100]);
    for (const answer of waiting.splice(0)) answer();
    await rest();
    expect(asked).toEqual([0, 100, 11_900]);
  });

  test('a last page that was short is read again once there is more', async () => {
    const log = new Log(10);
    const list = new RangeList<number>(log.fetch, 10);
    list.want(0, 40);
    await rest();
    log.total = 30;
    list.grow(30);
    await rest();
    expect(list.row(29)).toBe(29);
  });

  test('a failed read keeps what is there, and can be asked again', async () => {
    const log = new Log(1000);
    let fails = false;
    const list = new RangeList<number>((first, limit) => (fails ? Promise.reject(new Error('lost')) : log.fetch(first, limit)), 1000);
    list.want(0, 60);
    await rest();
    fails = true;
    list.want(400, 460);
    await rest();
    expect(list.now().error).toBeInstanceOf(Error);
    expect(list.row(10)).toBe(10);
    fails = false;
    list.again();
    await rest();
    expect(list.row(410)).toBe(410);
  });

  test('it holds so many pages and no more', async () => {
    const log = new Log(100_000);
    const list = new RangeList<number>(log.fetch, 100_000);
    for (let first = 0; first < 120 * 100; first += 100) { list.want(first, first + 10); await rest(); }
    expect(list.now().rows.size).toBe(80);
  });
});
