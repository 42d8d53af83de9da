/** Patterns with `*` and `?`. The time is bounded by the product of both lengths. */

/** `*` is any text, `?` one character. */
export function matchesGlob(pattern: string, text: string): boolean {
  let at = 0;
  let inPattern = 0;
  let star = -1;
  let behindStar = 0;
  while (at < text.length) {
    const expected = pattern[inPattern];
    if (expected === '*') {
      star = inPattern;
      behindStar = at;
      inPattern += 1;
    } else if (expected !== undefined && (expected === '?' || expected === text[at])) {
      at += 1;
      inPattern += 1;
    } else if (star >= 0) {
      behindStar += 1;
      at = behindStar;
      inPattern = star + 1;
    } else return false;
  }
  while (pattern[inPattern] === '*') inPattern += 1;
  return inPattern === pattern.length;
}

/** Matches whole paths: `*` and `?` match within one segment, `**` matches any number of segments. */
export function matchesPath(pattern: string, path: string): boolean {
  const names = path.split('/');
  // The numbers of segments that the pattern may have consumed so far.
  let reached = new Set([0]);
  for (const part of pattern.split('/')) {
    const next = new Set<number>();
    for (const at of reached) {
      if (part === '**') for (let to = at; to <= names.length; to += 1) next.add(to);
      else if (at < names.length && matchesGlob(part, names[at]!)) next.add(at + 1);
    }
    reached = next;
  }
  return reached.has(names.length);
}
