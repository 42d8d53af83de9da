import { HIDDEN_IN_BLOCK, HIDDEN_IN_LINE, replaceHidden } from './hidden-characters.ts';

/** Where a text was longer than it may be. */
export const CUT_MARK = ' … [cut by Pincer]';

/**
 * What terminals obey (ECMA-48): control sequences, strings that have an end, and short escapes. Of a string without an
 * end only the beginning is taken away: the rest would otherwise be hidden from people alone.
 */
const ESCAPE_SEQUENCES = new RegExp(
  [
    String.raw`(?:\x1b\[|\x9b)[0-?]*[ -\/]*[@-~]`,
    String.raw`(?:\x1b[PX\]^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x80-\x9f]*(?:\x07|\x1b\\|\x9c)`,
    String.raw`\x1b[ -\/]*[0-~]`,
  ].join('|'),
  'g',
);

/** All that Unicode lets a line end with. */
const LINE_BREAKS = /\r\n|[\v\f\r\u0085\u2028\u2029]/g;

const nothing = (): string => '';

/** A text as it may be shown to a model or a person: nothing in it is hidden, and it is at most so long. */
export function cleanText(text: string, maxChars: number): string {
  const clean = withoutHidden(text);
  if (clean.length <= maxChars) return clean;
  const cut = clean.slice(0, Math.max(0, maxChars - CUT_MARK.length)) + CUT_MARK;
  // Half of a pair, or a joiner that now joins nothing, may stand where it was cut.
  return withoutHidden(cut.slice(0, maxChars));
}

const withoutHidden = (text: string): string =>
  replaceHidden(
    text.replaceAll(ESCAPE_SEQUENCES, '').replaceAll(LINE_BREAKS, '\n'),
    HIDDEN_IN_BLOCK,
    nothing,
  );

/** What is seen of a name. */
export const seenOf = (name: string): string => replaceHidden(name, HIDDEN_IN_LINE, nothing);
