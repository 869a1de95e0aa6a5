/** The sizes of a view along its events, drawn small. Must not know what is done with them. */

import { useMemo } from 'react';
import type { SizePoint } from '../../api/types';
import { amount, bytes } from '../../words/time';
import { HIGH, WIDE, areaOf, scaleOf } from './sizes';
import styles from './scrub.module.css';

export function SizeChart({ points, most, bound = null, ready = most, label, scale: says = true }: {
  points: readonly SizePoint[]; most: number;
  /** A line that must not be crossed, where it matters. */
  bound?: number | null;
  /** Up to which event there are sizes; the rest is shown as not there yet. */
  ready?: number;
  /** Without it the drawing is silent: something beside it says the same. */
  label?: string;
  /** Whether it says its largest by itself. */
  scale?: boolean;
}) {
  const drawn = useMemo(() => {
    const scale = scaleOf(points, most, bound);
    return { scale, largest: points.reduce((so, [, size]) => Math.max(so, size), 0), ...areaOf(points, scale) };
  }, [points, most, bound]);
  const { scale, largest, line, area } = drawn;
  return (
    <div className={styles.chart} {...(label ? { role: 'img', 'aria-label': label } : { 'aria-hidden': true })}>
      <svg viewBox={`0 0 ${WIDE} ${HIGH}`} preserveAspectRatio="none">
        <path className={styles.area} d={area} />
        <path className={styles.line} d={line} vectorEffect="non-scaling-stroke" />
        {bound !== null && <line className={styles.bound} x1="0" x2={WIDE} y1={scale.y(bound)} y2={scale.y(bound)} vectorEffect="non-scaling-stroke" />}
      </svg>
      {ready < most && <i className={styles.unready} style={{ left: `${scale.x(ready) / 10}%` }} />}
      {bound === null
        ? says && largest > 0 && <small className={styles.scaleTop}>{bytes(largest)}</small>
        : <small className={styles.boundWords} style={{ top: `${scale.y(bound)}%` }}>{amount(bound)} bytes at most</small>}
    </div>
  );
}
