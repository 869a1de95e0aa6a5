/** Times, durations and amounts in words. */

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false });
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const dayAndYear = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });
const number = new Intl.NumberFormat('en-US');

export const amount = (value: number): string => number.format(value);

/** `1 problem`, `3 problems`. */
export function count(value: number, one: string, many: string = `${one}s`): string {
  return `${amount(value)} ${value === 1 ? one : many}`;
}

/** Local time; the day is named when it is not today's. */
export function localTime(iso: string | null | undefined, now: Date = new Date()): string {
  const at = iso ? new Date(iso) : null;
  if (!at || Number.isNaN(at.getTime())) return '–';
  if (at.toDateString() === now.toDateString()) return clock.format(at);
  const named = at.getFullYear() === now.getFullYear() ? day.format(at) : dayAndYear.format(at);
  return `${named}, ${clock.format(at)}`;
}

/** The same in UTC, for the hover. */
export function utcTime(iso: string | null | undefined): string {
  const at = iso ? new Date(iso) : null;
  return !at || Number.isNaN(at.getTime()) ? '' : `${at.toISOString().replace('T', ' ').replace('Z', '')} UTC`;
}

/** `just now`, `3 min ago`, `2 days ago`. */
export function ago(iso: string, now: number = Date.now()): string {
  const seconds = Math.max(0, Math.round((now - new Date(iso).getTime()) / 1000));
  if (Number.isNaN(seconds)) return '';
  if (seconds < 45) return 'just now';
  if (seconds < 3600) return `${Math.round(seconds / 60)} min ago`;
  if (seconds < 86_400) return count(Math.round(seconds / 3600), 'hour') + ' ago';
  return count(Math.round(seconds / 86_400), 'day') + ' ago';
}

/** `in 5 min`, `in 2 d 3 h`; what is past is past. */
export function inTime(iso: string, now: number = Date.now()): string {
  const left = new Date(iso).getTime() - now;
  if (Number.isNaN(left)) return '';
  return left <= 0 ? 'past' : left < 60_000 ? 'in under a minute' : `in ${duration(left)}`;
}

/** A duration in milliseconds as people say it. */
export function duration(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) return '–';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1).replace(/\.0$/, '') : Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return rest(minutes, 'min', Math.round(seconds % 60), 's');
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return rest(hours, 'h', minutes % 60, 'min');
  return rest(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

function rest(whole: number, unit: string, left: number, small: string): string {
  return left === 0 ? `${whole} ${unit}` : `${whole} ${unit} ${left} ${small}`;
}

/** The time between two moments. */
export function between(from: string | null | undefined, to: string | null | undefined): string {
  if (!from || !to) return '–';
  return duration(new Date(to).getTime() - new Date(from).getTime());
}

/** A size as people say it. */
export function bytes(value: number): string {
  if (value < 1024) return count(value, 'byte');
  const kib = value / 1024;
  if (kib < 1024) return `${kib < 10 ? kib.toFixed(1) : Math.round(kib)} KiB`;
  return `${(kib / 1024).toFixed(1)} MiB`;
}

/** An id short enough for a row; the whole one is copied. Version 7 ids differ at the end. */
export const shortId = (id: string): string => (id.length > 12 ? `…${id.slice(-8)}` : id);
