import { HIDDEN_IN_JSON } from './trust/hidden-characters.ts';

/** The same JSON without characters that move, hide or reorder what a terminal shows. */
export const plainJson = (text: string): string => text.replaceAll(HIDDEN_IN_JSON, escaped);

/** JSON escapes UTF-16 code units. */
const escaped = (char: string): string =>
  Array.from(
    { length: char.length },
    (_, at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');
