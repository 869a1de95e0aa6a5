/** Stepping through what is recorded of a run: a stop is a task at one of the inputs. Reads, and changes nothing. */

import type { InputDetail, Stop } from '../../api/workflow';
import { same } from '../../data/json';
import type { Json } from '../../api/types';

/** `stop` counts the stops of an input from 0. */
export interface Place { position: number; stop: number }

/** Inputs that are recorded never change: they are read once, and the last so many are kept. */
export class Inputs {
  private readonly kept = new Map<number, Promise<InputDetail>>();
  private readonly read: (position: number) => Promise<InputDetail>;
  constructor(read: (position: number) => Promise<InputDetail>) {
    this.read = read;
  }

  get(position: number): Promise<InputDetail> {
    const known = this.kept.get(position);
    if (known) return known;
    const asked = this.read(position);
    asked.catch(() => { this.kept.delete(position); });
    this.kept.set(position, asked);
    const [oldest] = this.kept.keys();
    if (this.kept.size > 60 && oldest !== undefined) this.kept.delete(oldest);
    return asked;
  }
}

export async function next(inputs: Inputs, from: Place, total: number): Promise<Place | null> {
  const here = await inputs.get(from.position);
  if (from.stop + 1 < here.stops.length) return { position: from.position, stop: from.stop + 1 };
  return from.position < total ? { position: from.position + 1, stop: 0 } : null;
}

export async function previous(inputs: Inputs, from: Place): Promise<Place | null> {
  if (from.stop > 0) return { position: from.position, stop: from.stop - 1 };
  if (from.position <= 1) return null;
  const before = await inputs.get(from.position - 1);
  return { position: from.position - 1, stop: Math.max(0, before.stops.length - 1) };
}

/** The values a stop shows, by their names in expressions. */
export function valuesOf(stop: Stop): { [name: string]: Json } {
  const found: { [name: string]: Json } = {};
  if (stop.data !== undefined) found['$data'] = stop.data;
  if (stop.input !== undefined) found['$input'] = stop.input;
  if (stop.output !== undefined) found['$output'] = stop.output;
  if (stop.context !== undefined) found['$context'] = stop.context;
  for (const [name, value] of Object.entries(stop.item ?? {})) found[`$${name}`] = value;
  if (stop.error !== undefined) found['$error'] = stop.error;
  return found;
}

/** How many stops a search for a change may read before it gives up for now. */
const SEARCHED = 400;

/** The next stop whose data are others than those before it. */
export async function nextChange(inputs: Inputs, from: Place, total: number): Promise<{ place: Place | null; searched: boolean }> {
  let now = from;
  let before = await stopAt(inputs, now);
  for (let turn = 0; turn < SEARCHED; turn += 1) {
    const to = await next(inputs, now, total);
    if (to === null) return { place: null, searched: true };
    const stop = await stopAt(inputs, to);
    if (before !== null && stop !== null && !same(stop.data ?? null, before.data ?? null)) return { place: to, searched: true };
    now = to;
    before = stop ?? before;
  }
  return { place: now, searched: false };
}

export async function stopAt(inputs: Inputs, place: Place): Promise<Stop | null> {
  return (await inputs.get(place.position)).stops[place.stop] ?? null;
}
