/** The sizes of a view along its events as a drawing: one axis with the slider. Must not know React. */

import type { SizePoint } from '../../api/types';

/** The drawing's own units; it is stretched to the room there is. */
export const WIDE = 1000;
export const HIGH = 100;

/** A little air above the largest. */
const AIR = 1.08;

export interface Scale { x: (at: number) => number; y: (bytes: number) => number; top: number }

/** `most` events along, and the largest size up; with a bound, up to that at least. */
export function scaleOf(points: readonly SizePoint[], most: number, bound: number | null = null): Scale {
  const largest = points.reduce((so, [, bytes]) => Math.max(so, bytes), bound ?? 0);
  const top = Math.max(1, largest * AIR);
  const along = Math.max(1, most);
  const within = (value: number) => Math.min(1, Math.max(0, value));
  return { x: (at) => within(at / along) * WIDE, y: (bytes) => HIGH - within(bytes / top) * HIGH, top };
}

const round = (value: number): number => Math.round(value * 100) / 100;

/** So few events are drawn as a step each, about their place; of more a line is the same. */
const STEPS = 60;

/** The line over the points, and the area beneath it; empty for no points. */
export function areaOf(points: readonly SizePoint[], { x, y }: Scale): { line: string; area: string } {
  const [first] = points;
  const last = points.at(-1);
  if (!first || !last) return { line: '', area: '' };
  const stepped = points.length <= STEPS && last[0] - first[0] === points.length - 1;
  const drawn = stepped ? points.flatMap(([at, bytes]): SizePoint[] => [[at - 0.5, bytes], [at + 0.5, bytes]]) : points;
  const line = drawn.map(([at, bytes], index) => `${index === 0 ? 'M' : 'L'}${round(x(at))} ${round(y(bytes))}`).join('');
  const [from = 0] = drawn[0] ?? [];
  const [to = 0] = drawn.at(-1) ?? [];
  return { line, area: `${line}L${round(x(to))} ${HIGH}L${round(x(from))} ${HIGH}Z` };
}

/** The size at an event, as far as the points tell: that of the bucket it falls into. */
export function sizeAt(points: readonly SizePoint[], at: number): number | null {
  let low = 0;
  let high = points.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((points[middle]?.[0] ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  return (points[low] ?? points.at(-1))?.[1] ?? null;
}

/** The place a key of the slider leads to: one event, a hundredth, the ends; null for another key. */
export function stepOf(key: string, at: number, most: number): number | null {
  const page = Math.max(1, Math.round(most / 100));
  const within = (to: number) => Math.min(most, Math.max(0, to));
  switch (key) {
    case 'ArrowRight': case 'ArrowUp': return within(at + 1);
    case 'ArrowLeft': case 'ArrowDown': return within(at - 1);
    case 'PageUp': return within(at + page);
    case 'PageDown': return within(at - page);
    case 'Home': return 0;
    case 'End': return most;
    default: return null;
  }
}

const DAY = /^(?:(\d{4})-(\d{1,2})-(\d{1,2})(?:[ T]+|$))?(?:(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?)?$/;

/** A local time as a person writes it: `14:02`, `2026-10-03`, `2026-10-03 14:02:11`, or whole with its zone; null for anything else. */
export function timeOf(text: string, now: Date = new Date()): string | null {
  const given = text.trim();
  if (given === '') return null;
  if (/(?:Z|[+-]\d{2}:?\d{2})$/.test(given) && given.includes('T')) {
    const whole = new Date(given);
    return Number.isNaN(whole.getTime()) ? null : whole.toISOString();
  }
  const found = DAY.exec(given);
  if (!found) return null;
  const [, year, month, day, hour, minute, second] = found.map((part) => (part === undefined ? undefined : Number(part)));
  if (year === undefined && hour === undefined) return null;
  const at = new Date(year ?? now.getFullYear(), month === undefined ? now.getMonth() : month - 1, day ?? now.getDate(),
    // A day alone is that day to its end: the last event of it is meant.
    hour ?? 23, minute ?? 59, hour === undefined ? 59 : second ?? 59, 999);
  const fits = (month ?? 1) <= 12 && at.getDate() === (day ?? now.getDate()) && (hour ?? 0) < 24 && (minute ?? 0) < 60 && (second ?? 0) < 60;
  return fits ? at.toISOString() : null;
}

/** A time as `timeOf` reads it back. */
export function typedTime(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return '';
  const two = (value: number) => String(value).padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}
