/** One text of what was told twice: message by message, and as a whole that may lack some of them. */
import { lastStart } from './last-start.ts';

const GAP = '\n\n';

/**
 * The whole, with those parts that it lacks at their places. It is looked at from its end, since it has all messages or
 * the last ones: each is found at the latest place that is possible, so that none is taken for another that begins alike.
 */
export function mergeText(parts: readonly string[], whole: string): string {
  let rest = whole.trim();
  let tail = '';
  /** What stands between them. */
  let gap = GAP;
  for (const part of parts.toReversed()) {
    const text = tidy(part);
    if (text === '') continue;
    const split = splitAt(rest, text);
    tail = joined(split?.after ?? text, split === undefined ? GAP : gap, tail);
    const before = split?.before ?? rest;
    rest = before.trimEnd();
    gap = split === undefined ? GAP : before.slice(rest.length);
  }
  return joined(rest, gap, tail);
}

const joined = (before: string, gap: string, after: string): string =>
  before === '' || after === '' ? before + after : before + gap + after;

/** Messages one after the other. */
export const joinTexts = (texts: readonly string[]): string =>
  texts
    .map(tidy)
    .filter((text) => text !== '')
    .join(GAP);

/** Indentation of the first line stays. */
const tidy = (text: string): string => text.replace(/^\s*\n/, '').trimEnd();

interface Split {
  readonly before: string;
  /** The part, with what follows it. */
  readonly after: string;
}

/** Undefined: the part is not in the text. */
function splitAt(text: string, part: string): Split | undefined {
  // The gateway keeps the last half million characters of a turn: of the first message there, only the end.
  if (text !== '' && part.endsWith(text)) return { before: '', after: part };
  const at = lastStart(text, part);
  return at === undefined ? undefined : { before: text.slice(0, at), after: text.slice(at) };
}
