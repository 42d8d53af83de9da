/** What the audit holds of a call's arguments until they are written. */
import { detached, type ByteText } from '../core/wire/byte-text.ts';
import { isEscaped } from '../core/wire/members.ts';

export interface KeptArguments {
  /** A copy of its own: the message that it came in may be large. */
  readonly text: ByteText;
  /** How long they were. More than the text has: it was cut, or left out altogether. */
  readonly bytes: number;
}

/** Characters of arguments that become secrets' stand-ins, or are escaped, take more room before than after. */
const KEPT_PER_WRITTEN = 4;

/** What may still be written, and a little more than that; `maxBytes` is for the redacted text. */
export function keepArguments(raw: ByteText, maxBytes: number): KeptArguments {
  const most = maxBytes * KEPT_PER_WRITTEN;
  return { text: detached(raw.length > most ? raw.slice(0, most) : raw), bytes: raw.length };
}

export type Redact = (raw: ByteText, maxBytes: number) => string;

/** The text for the record. Nothing of what cannot be redacted is shown. */
export function writeArguments({ text, bytes }: KeptArguments, redact: Redact, maxBytes: number): string {
  if (text === '') return `[${bytes} bytes, too much at once]`;
  const isCut = text.length < bytes;
  try {
    const shown = redact(isCut ? closeCut(text) : text, maxBytes);
    return isCut ? `${shown} … ${bytes} bytes in all` : shown;
  } catch {
    return `[${bytes} bytes that could not be redacted]`;
  }
}

/** An object or array that has not ended yet. */
interface Open {
  readonly closer: '}' | ']';
  /** Where its members called `value` are. */
  readonly values: { readonly from: number; readonly to: number }[];
}

const NEXT = /[\s,\]}]/g;
const VALUE_KEY = /^"value"$/i;

/**
 * What is whole in JSON that was cut off. The beginning of a JSON text as JSON of its own. Half a value would be a
 * danger to whoever redacts it, since half a token no longer looks like one: the last value that is not whole is
 * left out, with its key. So is what an object that is not whole has under `value`: that it is a password might be
 * said after it, under `name`.
 */
export function closeCut(text: ByteText): ByteText {
  const open: Open[] = [];
  let end = 0;
  let depth = 0;
  let isKey = false;
  let isNamedLater = false;
  let at = 0;
  const isWholeUpTo = (place: number): void => {
    end = place;
    depth = open.length;
  };

  while (at < text.length) {
    const from = at;
    const char = text[at]!;
    if (char === '{' || char === '[') {
      open.push({ closer: char === '{' ? '}' : ']', values: [] });
      isKey = char === '{';
      isNamedLater = false;
      isWholeUpTo(++at);
    } else if (char === '}' || char === ']') {
      open.pop();
      isWholeUpTo(++at);
    } else if (char === ',' || char === ':') {
      isKey = char === ',' && open.at(-1)?.closer === '}';
      at++;
    } else if (/\s/.test(char)) at++;
    else {
      at = char === '"' ? afterString(text, at) : afterPlainValue(text, at);
      if (at === 0) break;
      if (isKey) isNamedLater = isValueKey(text.slice(from, at));
      else {
        if (isNamedLater) open.at(-1)?.values.push({ from, to: at });
        isNamedLater = false;
        isWholeUpTo(at);
      }
    }
  }
  return end === 0 ? 'null' : closed(text.slice(0, end), open.slice(0, depth));
}

function closed(text: ByteText, open: readonly Open[]): ByteText {
  let out = '';
  let at = 0;
  for (const { from, to } of open.flatMap(({ values }) => values)) {
    out += `${text.slice(at, from)}"[cut]"`;
    at = to;
  }
  const closers = open.map(({ closer }) => closer).reverse();
  return out + text.slice(at) + closers.join('');
}

const isValueKey = (raw: ByteText): boolean =>
  VALUE_KEY.test(raw.includes('\\') ? `"${String(JSON.parse(raw))}"` : raw);

/** Zero: it does not end within the text. */
function afterString(text: ByteText, at: number): number {
  let close = text.indexOf('"', at + 1);
  while (close !== -1 && isEscaped(text, close)) close = text.indexOf('"', close + 1);
  return close + 1;
}

/** Zero: a number at the very end may have had more digits. */
function afterPlainValue(text: ByteText, at: number): number {
  NEXT.lastIndex = at;
  return NEXT.exec(text)?.index ?? 0;
}
