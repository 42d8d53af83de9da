/** How long a text is where there may be no Buffer. */

/** Of one unit of a text; a character that has two of them takes four. */
const MAX_UNIT_BYTES = 3;

/** Of most texts their length says enough. */
export const isLonger = (text: string, bytes: number): boolean =>
  text.length > bytes ||
  (text.length * MAX_UNIT_BYTES > bytes && new TextEncoder().encode(text).length > bytes);
