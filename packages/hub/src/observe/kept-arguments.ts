/** What the audit holds of a call's arguments until they are written. */
import { detached, type ByteText } from '../core/wire/byte-text.ts';
import { closeCut } from './cut-json.ts';

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
