/** Less similar names are no help. */
const MIN_LIKENESS = 0.35;
/** Longer than any real name. */
const MAX_CHARS = 200;

/** Suggestions for a misspelled name: at most `count`, most similar first. */
export function nearestNames(typed: string, names: readonly string[], count: number): string[] {
  const wanted = triplesIn(typed);
  return names
    .map((name) => ({ name, likeness: likeness(wanted, triplesIn(name)) }))
    .filter(({ likeness }) => likeness >= MIN_LIKENESS)
    .toSorted((a, b) => b.likeness - a.likeness || (a.name < b.name ? -1 : 1))
    .slice(0, count)
    .map(({ name }) => name);
}

/** All trigrams, with the beginning and the end marked by a space. */
function triplesIn(name: string): ReadonlySet<string> {
  const text = ` ${name
    .slice(0, MAX_CHARS)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()} `;
  const triples = new Set<string>();
  for (let at = 0; at + 3 <= text.length; at++) triples.add(text.slice(at, at + 3));
  return triples;
}

/** Similarity of two sets, from 0 to 1. Extra elements of the larger set count half, since a name may lack its server. */
function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return 0;
  let common = 0;
  for (const triple of a) if (b.has(triple)) common++;
  return common / (0.75 * Math.min(a.size, b.size) + 0.25 * Math.max(a.size, b.size));
}
