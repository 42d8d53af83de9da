/** Which of several things somebody wants: yes is all, no is none, numbers are those. */
export type Choice = readonly number[] | 'unclear';

/** Numbers count from 1, as they are shown; those of the answer count from 0. */
export function parseChoice(answer: string, count: number): Choice {
  const word = answer.trim().toLowerCase();
  if (word === '' || /^(?:y|yes|all)$/.test(word)) return Array.from({ length: count }, (_, index) => index);
  if (/^(?:n|no|none|s|skip)$/.test(word)) return [];
  const parts = word.split(/[\s,]+/).filter((part) => part !== '');
  const numbers = parts.flatMap((part) => rangeOf(part) ?? [Number.NaN]);
  if (numbers.some((number) => !Number.isInteger(number) || number < 1 || number > count)) return 'unclear';
  return [...new Set(numbers)].toSorted((a, b) => a - b).map((number) => number - 1);
}

/** `2-4` is 2, 3 and 4. */
function rangeOf(part: string): number[] | undefined {
  const ends = /^(\d{1,4})(?:-(\d{1,4}))?$/.exec(part);
  if (ends === null) return undefined;
  const first = Number(ends[1]);
  const last = Number(ends[2] ?? ends[1]);
  return last < first ? undefined : Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
