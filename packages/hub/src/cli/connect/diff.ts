/** What changed between two texts, as lines with `-` and `+`: one block, with a little of what is around it. */
import { commonEnds } from '../../lib/text.ts';

const CONTEXT = 2;

export interface DiffLine {
  readonly sign: '-' | '+' | ' ';
  readonly text: string;
}

/** Good for one edit in one place, which is all that is made here. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [old, fresh] = [before, after].map(linesOf) as [string[], string[]];
  const { start, end } = commonEnds(old, fresh);
  const marked = (sign: DiffLine['sign'], lines: readonly string[]): DiffLine[] =>
    lines.map((text) => ({ sign, text }));
  const tail = fresh.length - end;
  if (start === old.length && start === fresh.length) return [];
  return [
    ...marked(' ', fresh.slice(Math.max(0, start - CONTEXT), start)),
    ...marked('-', old.slice(start, old.length - end)),
    ...marked('+', fresh.slice(start, tail)),
    ...marked(' ', fresh.slice(tail, tail + CONTEXT)),
  ];
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));
