// @vitest-environment node
import { describe, expect, test } from 'vitest';
import type { SizePoint } from '../../api/types';
import { HIGH, WIDE, areaOf, scaleOf, sizeAt, stepOf, timeOf, typedTime } from './sizes';

const POINTS: SizePoint[] = [[0, 2], [10, 100], [20, 50]];

describe('the drawing of sizes', () => {
  test('stands on the axis of the slider: 0 at its left end, the last event at its right', () => {
    const { x, y } = scaleOf(POINTS, 40);
    expect(x(0)).toBe(0);
    expect(x(20)).toBe(WIDE / 2);
    expect(x(40)).toBe(WIDE);
    expect(x(80)).toBe(WIDE);
    expect(y(0)).toBe(HIGH);
    expect(y(100)).toBeGreaterThan(0);
    expect(y(100)).toBeLessThan(HIGH / 10);
  });

  test('a bound is in sight, whether the sizes reach it or not', () => {
    expect(scaleOf(POINTS, 40, 1000).y(1000)).toBeGreaterThan(0);
    const past = scaleOf([[1, 2000]], 1, 1000);
    expect(past.y(2000)).toBeGreaterThan(0);
    expect(past.y(1000)).toBeCloseTo(HIGH - (HIGH * 1000) / past.top);
  });

  test('the area closes under its own first and last point, and nothing gives nothing', () => {
    const scale = scaleOf(POINTS, 20);
    const { line, area } = areaOf(POINTS, scale);
    expect(line.startsWith('M0 ')).toBe(true);
    expect(area).toBe(`${line}L${WIDE} ${HIGH}L0 ${HIGH}Z`);
    expect(areaOf([], scale)).toEqual({ line: '', area: '' });
    expect(scaleOf([], 0).x(0)).toBe(0);
    expect(Number.isFinite(scaleOf([[0, 0]], 0).y(0))).toBe(true);
  });

  test('the size at an event is that of its bucket', () => {
    expect(sizeAt(POINTS, 0)).toBe(2);
    expect(sizeAt(POINTS, 5)).toBe(100);
    expect(sizeAt(POINTS, 20)).toBe(50);
    expect(sizeAt(POINTS, 99)).toBe(50);
    expect(sizeAt([], 3)).toBeNull();
  });
});

test('a few events are a step each, about their place', () => {
  const { line } = areaOf([[1, 50], [2, 100]], { ...scaleOf([[1, 50], [2, 100]], 4), y: (bytes) => bytes });
  expect(line).toBe('M125 50L375 50L375 100L625 100');
});

describe('the keys of the slider', () => {
  test('an event, a hundredth, the ends, and never beyond', () => {
    expect(stepOf('ArrowRight', 5, 1000)).toBe(6);
    expect(stepOf('ArrowDown', 0, 1000)).toBe(0);
    expect(stepOf('PageUp', 5, 1000)).toBe(15);
    expect(stepOf('PageDown', 5, 1000)).toBe(0);
    expect(stepOf('PageUp', 1, 3)).toBe(2);
    expect(stepOf('Home', 5, 1000)).toBe(0);
    expect(stepOf('End', 5, 1000)).toBe(1000);
    expect(stepOf('ArrowUp', 1000, 1000)).toBe(1000);
    expect(stepOf('x', 5, 1000)).toBeNull();
  });
});

describe('a time as typed', () => {
  const now = new Date(2026, 9, 3, 12, 0, 0);
  const local = (iso: string | null) => (iso === null ? null : typedTime(iso));
  test('a clock is today’s, a day is meant to its end, and a minute to its end', () => {
    expect(local(timeOf('14:02', now))).toBe('2026-10-03 14:02:59');
    expect(local(timeOf('14:02:11', now))).toBe('2026-10-03 14:02:11');
    expect(local(timeOf('2026-09-30', now))).toBe('2026-09-30 23:59:59');
    expect(local(timeOf(' 2026-9-3 4:05 ', now))).toBe('2026-09-03 04:05:59');
    expect(timeOf('2026-10-03T14:02:11.000Z', now)).toBe('2026-10-03T14:02:11.000Z');
  });
  test('what is no time is none', () => {
    for (const text of ['', 'soon', '25:00', '2026-02-31', '2026-13-01', '12', '14:2', '14:02:99']) expect(timeOf(text, now), text).toBeNull();
  });
  test('what is written is read back', () => {
    const iso = new Date(2026, 0, 2, 3, 4, 5).toISOString();
    expect(local(timeOf(typedTime(iso), now))).toBe(typedTime(iso));
    expect(typedTime('never')).toBe('');
  });
});
