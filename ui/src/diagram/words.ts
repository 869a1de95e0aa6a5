/** How wide words are drawn, without a page to measure them in: a worker has none. */

const NARROW = new Set([...'ijl.,:;|!\'`ftrI()[]{} -/\\"']);
const WIDE = new Set([...'mwMW@%…—']);

/** Width in pixels at a size of type; a little generous, so that words do not touch their border. */
export function widthOf(text: string, size = 13): number {
  let width = 0;
  for (const letter of text) {
    const code = letter.codePointAt(0) ?? 0;
    width += code >= 0x2e80 ? 1.02 : WIDE.has(letter) ? 0.88 : NARROW.has(letter) ? 0.36 : code >= 65 && code <= 90 ? 0.68 : 0.58;
  }
  return width * size;
}

/** A text of at most a width; a longer one ends in an ellipsis. */
export function cut(text: string, most: number, size = 13): string {
  if (widthOf(text, size) <= most) return text;
  const letters = [...text];
  while (letters.length > 1 && widthOf(`${letters.join('')}…`, size) > most) letters.pop();
  return `${letters.join('')}…`;
}

/** At most two lines of a width; a longer text ends in an ellipsis. */
export function linesOf(text: string, most: number): string[] {
  const flat = text.replace(/\s+/g, ' ').trim();
  if (widthOf(flat) <= most) return [flat];
  const words = flat.split(' ');
  let first = '';
  while (words.length > 0) {
    const longer = first === '' ? words[0] ?? '' : `${first} ${words[0] ?? ''}`;
    if (widthOf(longer) > most) break;
    first = longer;
    words.shift();
  }
  if (first !== '') return words.length === 0 ? [first] : [first, cut(words.join(' '), most)];
  // One long name: it breaks at a hyphen where it has one.
  const at = flat.slice(0, 26).lastIndexOf('-') + 1;
  return at > 8 && widthOf(flat.slice(0, at)) <= most ? [flat.slice(0, at), cut(flat.slice(at), most)] : [cut(flat, most)];
}
