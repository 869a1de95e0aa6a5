/** Time as a line with its idle stretches folded: what lasts for days between two records takes little room. */

export interface Fold { from: number; to: number; /** Where it is drawn, as shares of the whole. */ left: number; right: number }

export interface Scale { at: (time: number) => number; folds: Fold[] }

/** A gap is idle when it is this many times as long as the middle one, and this share of the whole. */
const TIMES = 10;
const SHARE = 1 / 6;
/** A fold takes this share of what is not folded. */
const FOLDED = 0.07;

/** The scale of some moments in milliseconds; between them nothing happened. */
export function scaleOf(moments: readonly number[]): Scale {
  const times = [...new Set(moments.filter(Number.isFinite))].sort((one, other) => one - other);
  const first = times[0];
  const last = times.at(-1);
  if (first === undefined || last === undefined || first === last) return { at: () => 0, folds: [] };
  const gaps = times.slice(1).map((time, at) => time - (times[at] ?? time));
  const middle = gaps.toSorted((one, other) => one - other)[Math.floor((gaps.length - 1) / 2)] ?? 0;
  const idle = gaps.map((gap) => gaps.length > 1 && gap > middle * TIMES && gap > (last - first) * SHARE);
  const open = gaps.reduce((sum, gap, at) => (idle[at] ? sum : sum + gap), 0);
  const shown = gaps.map((gap, at) => (idle[at] ? Math.max(open * FOLDED, 1) : gap));
  const whole = shown.reduce((sum, gap) => sum + gap, 0);
  const starts: number[] = [0];
  for (const gap of shown) starts.push((starts.at(-1) ?? 0) + gap / whole);
  const at = (time: number): number => {
    if (time <= first) return 0;
    if (time >= last) return 1;
    let low = 0;
    let high = times.length - 1;
    while (high - low > 1) {
      const half = (low + high) >> 1;
      if ((times[half] ?? 0) <= time) low = half;
      else high = half;
    }
    const from = times[low] ?? first;
    const to = times[high] ?? last;
    return (starts[low] ?? 0) + ((starts[high] ?? 1) - (starts[low] ?? 0)) * ((time - from) / (to - from));
  };
  return { at, folds: idle.flatMap((folded, gap) => (folded ? [{ from: times[gap] ?? 0, to: times[gap + 1] ?? 0, left: starts[gap] ?? 0, right: starts[gap + 1] ?? 1 }] : [])) };
}
