/** One text of what was told twice: message by message, and as a whole that may lack some of them. */

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

/** Where a part stands at the beginning of a line, as late as possible. */
export function lastStart(text: string, part: string, most = MAX_COMPARED): number | undefined {
  const line = `\n${part}`;
  const at =
    part.length * (text.length - part.length) > most ? lastIndex(text, line) : text.lastIndexOf(line);
  if (at !== -1) return at + 1;
  return text.startsWith(part) ? 0 : undefined;
}

/** Characters that Node may come to compare; whoever writes very many lines alike is not waited for. */
const MAX_COMPARED = 20_000_000;

/** As `lastIndexOf`, but never looks at a character twice (Knuth, Morris, Pratt; from the end). */
function lastIndex(text: string, part: string): number {
  const last = part.length - 1;
  /** When so many characters at the end of the part were found, and not the next: how many of them still may be its end. */
  const shorter = new Uint32Array(part.length + 1);
  const advance = (found: number, char: number): number => {
    let count = found;
    while (count > 0 && part.charCodeAt(last - count) !== char) count = shorter[count]!;
    return part.charCodeAt(last - count) === char ? count + 1 : 0;
  };
  for (let count = 1; count <= last; count++)
    shorter[count + 1] = advance(shorter[count]!, part.charCodeAt(last - count));
  for (let at = text.length - 1, found = 0; at >= 0; at--) {
    found = advance(found, text.charCodeAt(at));
    if (found > last) return at;
  }
  return -1;
}
