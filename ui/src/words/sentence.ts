/** Sentences that the runtime writes of a definition, which are Markdown. */

const NAMED = /\*\*([^*]+)\*\*/g;

/** The same with its names as code, for `Words`. */
export const marked = (sentence: string): string => sentence.replaceAll(NAMED, '`$1`');

/** The same as plain text, beginning with a capital letter. */
export const plain = (sentence: string): string => {
  const text = sentence.replaceAll(NAMED, '$1').replaceAll('`', '');
  return text.charAt(0).toUpperCase() + text.slice(1);
};
