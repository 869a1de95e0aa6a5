/** Places of a text between bytes of UTF-8, as the runtime counts, and UTF-16 units, as an editor does. */

const encoder = new TextEncoder();

/** The UTF-16 place of each of some byte places, in one walk of the text. */
export function unitsOf(text: string, bytes: readonly number[]): number[] {
  // Most texts are plain: then both counts are one.
  if (encoder.encode(text).length === text.length) return bytes.map((at) => Math.min(at, text.length));
  const order = bytes.map((at, index) => ({ at, index })).toSorted((one, other) => one.at - other.at);
  const units = new Array<number>(bytes.length).fill(text.length);
  let byte = 0;
  let next = 0;
  for (let unit = 0; unit <= text.length && next < order.length;) {
    while (next < order.length && (order[next]?.at ?? 0) <= byte) {
      units[order[next]?.index ?? 0] = unit;
      next += 1;
    }
    const code = text.codePointAt(unit);
    if (code === undefined) break;
    byte += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    unit += code < 0x10000 ? 1 : 2;
  }
  return units;
}
