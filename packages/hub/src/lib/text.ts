/** Words and lines for people: plurals, sentences, shell quoting, spelling suggestions, common lines. */

/** `1 tool`, `2 tools`. */
export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Trims a message and adds a full stop if it has no final punctuation. */
export function asSentence(message: string): string {
  const text = message.trim();
  return /[.!?…]["')\]]?$/.test(text) ? text : `${text}.`;
}

/** Quotes a word for a POSIX shell, so that nothing in it is expanded or ends the command. */
export const shellWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;

/** Shorter words are similar to too many others. */
const MIN_LENGTH = 3;

/** Returns the candidate that a misspelt or shortened word most likely means. Undefined if none is similar. */
export function closest(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = word.toLowerCase();
  let best: string | undefined;
  let bestDistance = wanted.length < MIN_LENGTH ? 1 : Math.max(2, Math.floor(wanted.length / 3) + 1);
  for (const candidate of candidates) {
    // The distance is at least the difference of the lengths. This check keeps very long words cheap.
    const other = candidate.toLowerCase();
    if (Math.abs(wanted.length - other.length) >= bestDistance) continue;
    const distance = editDistance(wanted, other);
    if (distance >= bestDistance) continue;
    best = candidate;
    bestDistance = distance;
  }
  return best ?? onlyCompletion(wanted, candidates);
}

/** Returns the candidate that begins with the word, if there is exactly one. */
function onlyCompletion(wanted: string, candidates: Iterable<string>): string | undefined {
  if (wanted.length < MIN_LENGTH) return undefined;
  const [only, another] = [...candidates].filter((candidate) => candidate.toLowerCase().startsWith(wanted));
  return another === undefined ? only : undefined;
}

/** Number of insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`. */
export function editDistance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      let cost = Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, rows[i - 1]![j - 1]! + (isSame ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, rows[i - 2]![j - 2]! + 1);
      row.push(cost);
    }
    rows.push(row);
  }
  return rows[a.length]![b.length]!;
}

/** Counts the lines that two texts share at the start and, apart from those, at the end. */
export function commonEnds(
  a: readonly string[],
  b: readonly string[],
): { readonly start: number; readonly end: number } {
  const most = Math.min(a.length, b.length);
  let start = 0;
  while (start < most && a[start] === b[start]) start++;
  let end = 0;
  while (end < most - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  return { start, end };
}
