/** Walking a drawing by keys: along its edges, and sideways to what stands beside. Must not know how it is drawn. */

import type { Flowchart } from '../api/workflow';
import type { Placed } from './layout';

/** What names a box for the outside: its task, or itself where it is none. */
export const keyOf = (box: { id: string; reference?: string | undefined }): string => box.reference ?? box.id;

/** The box that a key leads to from another; null for a key that is none of the drawing's. */
export function walk(chart: Flowchart, placed: Placed, from: string | null, key: string): string | null {
  const first = chart.nodes[0]?.id ?? null;
  const last = chart.nodes.at(-1)?.id ?? null;
  if (key === 'Home') return first;
  if (key === 'End') return last;
  if (!['ArrowDown', 'ArrowUp', 'ArrowLeft', 'ArrowRight'].includes(key)) return null;
  const now = from ?? first;
  if (from === null || now === null) return now;
  const place = new Map([...placed.nodes, ...placed.groups].map((box) => [box.id, box]));
  const here = place.get(now);
  if (!here) return first;
  const order = new Map(chart.nodes.map((node, at) => [node.id, at]));
  if (key === 'ArrowDown' || key === 'ArrowUp') {
    const down = key === 'ArrowDown';
    // A group leads to its first step, as if one had stood before it.
    const group = chart.groups.some((one) => one.id === now);
    if (group) {
      const own = chart.nodes.filter((node) => node.group === now);
      return (down ? own[0] : own.at(-1))?.id ?? now;
    }
    const ends = chart.edges.flatMap((edge) => (down ? (edge.from === now ? [edge.to] : []) : edge.to === now ? [edge.from] : []));
    const at = order.get(now) ?? 0;
    // The way on comes before the way back, and the nearest of the document before a far one.
    const ahead = ends.filter((end) => ((order.get(end) ?? 0) > at) === down && end !== now);
    const near = (one: string, other: string) => Math.abs((order.get(one) ?? 0) - at) - Math.abs((order.get(other) ?? 0) - at);
    const found = ahead.toSorted(near)[0];
    return found ?? chart.nodes[at + (down ? 1 : -1)]?.id ?? now;
  }
  const right = key === 'ArrowRight';
  const middle = (box: { x: number; y: number; width: number; height: number }) => ({ x: box.x + box.width / 2, y: box.y + box.height / 2 });
  const own = middle(here);
  let best: { id: string; far: number } | null = null;
  for (const node of placed.nodes) {
    if (node.id === now) continue;
    const { x, y } = middle(node);
    const beside = right ? x - own.x : own.x - x;
    if (beside < 8) continue;
    const far = beside + Math.abs(y - own.y) * 3;
    if (best === null || far < best.far) best = { id: node.id, far };
  }
  return best?.id ?? now;
}
