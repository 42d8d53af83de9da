/** What is whole in JSON that was cut off. */
import type { ByteText } from '../core/wire/byte-text.ts';
import { isEscaped } from '../core/wire/members.ts';

const OPENERS: ReadonlyMap<string, string> = new Map([
  ['{', '}'],
  ['[', ']'],
]);
const BETWEEN_VALUES = /[\s,\]}]/g;

/**
 * The beginning of a JSON text as JSON of its own: the last value that is not whole is left out, with its key, and
 * what is open is closed. Half a value would be a danger to whoever redacts it: half a token no longer looks like one.
 */
export function closeCut(text: ByteText): ByteText {
  const closers: string[] = [];
  let end = 0;
  let depth = 0;
  let isKey = false;
  let at = 0;
  const isWholeUpTo = (place: number): void => {
    end = place;
    depth = closers.length;
  };

  while (at < text.length) {
    const char = text[at]!;
    const closer = OPENERS.get(char);
    if (closer !== undefined) {
      closers.push(closer);
      isKey = closer === '}';
      isWholeUpTo(++at);
    } else if (char === '}' || char === ']') {
      closers.pop();
      isWholeUpTo(++at);
    } else if (char === ',' || char === ':') {
      isKey = char === ',' && closers.at(-1) === '}';
      at++;
    } else if (char === '"') {
      at = afterString(text, at);
      if (at === 0) break;
      if (!isKey) isWholeUpTo(at);
    } else if (/\s/.test(char)) {
      at++;
    } else {
      at = afterPlainValue(text, at);
      // A number at the very end may have had more digits.
      if (at === 0) break;
      isWholeUpTo(at);
    }
  }
  return end === 0 ? 'null' : text.slice(0, end) + closers.slice(0, depth).reverse().join('');
}

/** Zero: it does not end within the text. */
function afterString(text: ByteText, at: number): number {
  let close = text.indexOf('"', at + 1);
  while (close !== -1 && isEscaped(text, close)) close = text.indexOf('"', close + 1);
  return close + 1;
}

function afterPlainValue(text: ByteText, at: number): number {
  BETWEEN_VALUES.lastIndex = at;
  return BETWEEN_VALUES.exec(text)?.index ?? 0;
}
