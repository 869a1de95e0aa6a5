/** Fixed-height windowing: only the rows in sight and a few around them are in the page. */

import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { RefObject } from 'react';
import { useSettings } from '../app/settings';

const AROUND = 12;
/** A list that has not scrolled for this long rests. */
const REST_MS = 200;
const UNMEASURED = 640;

export interface Window {
  scroller: RefObject<HTMLDivElement | null>;
  onScroll: () => void;
  /** The first row in the page, and the one after the last. */
  first: number;
  end: number;
  /** Rows that are in the page at most: the row at `n` is drawn in the place `n % places`, whose element is kept. */
  places: number;
  /**
   * The rows from `first` to `end` in the order of their elements. While a list scrolls no element is moved, since each
   * that moves is laid out again; once it rests they stand in the order of the rows.
   */
  order: readonly number[];
  /** Height of one row, in pixels. */
  row: number;
  /** Shows a row; `centre` puts it in the middle when it was out of sight. */
  show: (index: number) => void;
  /** Whether the top is in sight, so that new rows may come in above. */
  atTop: boolean;
}

export function rangeOf(top: number, height: number, row: number, count: number): { first: number; end: number } {
  const first = Math.max(0, Math.min(count, Math.floor(top / row)) - AROUND);
  const end = Math.min(count, Math.ceil((top + height) / row) + AROUND);
  return { first: Math.min(first, end), end };
}

/** The rows by their places, from the one in the place `from`. */
export function orderOf(first: number, end: number, places: number, from: number): number[] {
  const turn = first + (((from - first) % places) + places) % places;
  return Array.from({ length: end - first }, (_, index) => {
    const at = turn + index;
    return turn >= end ? first + index : at < end ? at : at - (end - first);
  });
}

export const ROW = { dense: 28, roomy: 34 };
/** Rows of code stand closer. */
export const CODE_ROW = { dense: 22, roomy: 28 };

export function useWindow(count: number, headHeight = 0, heights: { dense: number; roomy: number } = ROW): Window {
  const scroller = useRef<HTMLDivElement>(null);
  const row = heights[useSettings().density];
  const [place, setPlace] = useState({ top: 0, height: UNMEASURED });
  const frame = useRef(0);

  const measure = useCallback(() => {
    const box = scroller.current;
    if (!box) return;
    const next = { top: box.scrollTop, height: box.clientHeight || UNMEASURED };
    setPlace((before) => {
      // Within the same rows nothing needs to be drawn again.
      const same = Math.floor(before.top / row) === Math.floor(next.top / row) && before.height === next.height;
      return same && (before.top === 0) === (next.top === 0) ? before : next;
    });
  }, [row]);

  const onScroll = useCallback(() => {
    cancelAnimationFrame(frame.current);
    frame.current = requestAnimationFrame(measure);
  }, [measure]);

  useLayoutEffect(measure, [measure, count]);
  useEffect(() => {
    if (!scroller.current || typeof ResizeObserver === 'undefined') return;
    const seen = new ResizeObserver(measure);
    seen.observe(scroller.current);
    return () => {
      seen.disconnect();
      cancelAnimationFrame(frame.current);
    };
  }, [measure]);

  const show = useCallback((index: number) => {
    const box = scroller.current;
    if (!box) return;
    const top = index * row;
    const height = (box.clientHeight || UNMEASURED) - headHeight;
    if (top < box.scrollTop) box.scrollTop = top;
    else if (top + row > box.scrollTop + height) box.scrollTop = top + row - height;
    measure();
  }, [row, headHeight, measure]);

  const places = Math.ceil(place.height / row) + 1 + 2 * AROUND;
  const { first, end } = rangeOf(place.top, place.height, row, count);
  const [from, setFrom] = useState(0);
  useEffect(() => {
    const timer = setTimeout(() => setFrom(first % places), REST_MS);
    return () => clearTimeout(timer);
  }, [first, places]);
  // At its top, where rows come in, a list is in order at once.
  const order = useMemo(() => orderOf(first, end, places, first === 0 ? 0 : from), [first, end, places, from]);
  return { scroller, onScroll, row, show, atTop: place.top < row, places, order, first, end };
}

/** The row that a key of a list leads to; null for a key that is none of the list's. */
export function stepTo(key: string, from: number, count: number, page: number): number | null {
  const last = count - 1;
  switch (key) {
    case 'ArrowDown': return Math.min(last, from + 1);
    case 'ArrowUp': return Math.max(0, from - 1);
    case 'PageDown': return Math.min(last, from + page);
    case 'PageUp': return Math.max(0, from - page);
    case 'Home': return 0;
    case 'End': return last;
    default: return null;
  }
}
