/** The word that somebody meant who wrote another one. */

/** Words shorter than this have too many neighbours. */
const MIN_LENGTH = 3;

/** The candidate that was most likely meant; undefined when none is near. */
export function closest(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = word.toLowerCase();
  let best: string | undefined;
  let bestDistance = wanted.length < MIN_LENGTH ? 1 : Math.max(2, Math.floor(wanted.length / 3) + 1);
  for (const candidate of candidates) {
    // No two texts are nearer than their lengths. Whoever sends a very long one is not waited for.
    const other = candidate.toLowerCase();
    if (Math.abs(wanted.length - other.length) >= bestDistance) continue;
    const distance = editDistance(wanted, other);
    if (distance >= bestDistance) continue;
    best = candidate;
    bestDistance = distance;
  }
  return best ?? onlyBeginning(wanted, candidates);
}

/** Somebody may have stopped half-way. */
function onlyBeginning(wanted: string, candidates: Iterable<string>): string | undefined {
  if (wanted.length < MIN_LENGTH) return undefined;
  const [only, another] = [...candidates].filter((candidate) => candidate.toLowerCase().startsWith(wanted));
  return another === undefined ? only : undefined;
}

/** Insertions, deletions, replacements and swaps of neighbours that make `a` into `b`. */
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
