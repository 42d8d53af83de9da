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
