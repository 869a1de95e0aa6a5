/** The handle between two panes: by pointer or by the arrow keys. */

import type { KeyboardEvent, PointerEvent } from 'react';
import styles from './shell.module.css';

export function Grip({ label, size, least, most, resize, axis = 'column', grows = 'after' }: {
  label: string; size: number; least: number; most: number; resize: (size: number) => void;
  axis?: 'column' | 'row';
  /** Which side of the handle the size is of. */
  grows?: 'after' | 'before';
}) {
  const sign = grows === 'after' ? 1 : -1;
  const held = (value: number) => resize(Math.round(Math.min(most, Math.max(least, value))));
  const press = (event: PointerEvent<HTMLButtonElement>) => {
    const target = event.currentTarget;
    const from = axis === 'column' ? event.clientX : event.clientY;
    target.setPointerCapture(event.pointerId);
    const move = (moved: globalThis.PointerEvent) => held(size + sign * ((axis === 'column' ? moved.clientX : moved.clientY) - from));
    target.addEventListener('pointermove', move);
    target.addEventListener('lostpointercapture', () => target.removeEventListener('pointermove', move), { once: true });
  };
  const key = (event: KeyboardEvent) => {
    const more = axis === 'column' ? 'ArrowRight' : 'ArrowDown';
    const less = axis === 'column' ? 'ArrowLeft' : 'ArrowUp';
    if (event.key !== more && event.key !== less) return;
    event.preventDefault();
    held(size + sign * (event.key === more ? 24 : -24));
  };
  return (
    <div className={axis === 'column' ? styles.grip : styles.gripAcross}>
      <button type="button" role="separator" aria-label={label} aria-orientation={axis === 'column' ? 'vertical' : 'horizontal'}
        aria-valuenow={size} aria-valuemin={least} aria-valuemax={most} onPointerDown={press} onKeyDown={key} />
    </div>
  );
}
