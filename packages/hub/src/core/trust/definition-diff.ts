/** How a definition differs from another one, for people to read. */
import { commonEnds } from '../common-ends.ts';
import { leavesOf, linesOf, type Leaf } from './definition-leaves.ts';
import { readTree } from './json-tree.ts';
import { spelledOut } from '../visible.ts';
import { fromByteText, type ByteText } from '../wire/byte-text.ts';

export interface DefinitionChange {
  /** The keys that lead there, `inputSchema.properties.path.type`; empty: the definition as a whole. */
  readonly path: string;
  /**
   * Of a text of several lines, the first that differs, counted from 1; lines at its beginning and end that are the
   * same are left out.
   */
  readonly line: number | undefined;
  /** To be shown as it is, of one or several lines; undefined: there was nothing. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Nothing that differs is left out or cut. Without `before`, all that the new definition says. */
export function diffDefinitions(before: ByteText | undefined, after: ByteText): readonly DefinitionChange[] {
  const old = before === undefined ? NOTHING : leavesIn(before);
  const now = leavesIn(after);
  if (old !== undefined && now !== undefined) return diffLeaves(old, now);
  return before === after ? [] : [{ path: '', line: undefined, before: shown(before), after: shown(after) }];
}

function leavesIn(raw: ByteText): Leaves | undefined {
  const tree = readTree(raw);
  return tree && leavesOf(tree);
}

/** What is too much to be taken apart. */
const shown = (raw: ByteText | undefined): string | undefined => raw && spelledOut(fromByteText(raw));

type Leaves = ReadonlyMap<string, Leaf>;

const NOTHING: Leaves = new Map();

const diffLeaves = (old: Leaves, now: Leaves): DefinitionChange[] =>
  [...new Set([...old.keys(), ...now.keys()])]
    .filter((path) => old.get(path)?.json !== now.get(path)?.json)
    .toSorted((a, b) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1))
    .map((path) => ({ path, ...diffLeaf(old.get(path), now.get(path)) }));

/** What people read first, first. */
const RANKS = ['description', 'title', 'annotations', 'inputSchema', 'outputSchema'];
const rankOf = (path: string): number => {
  const rank = RANKS.indexOf(path.split(/[.[]/, 1)[0]!);
  return rank === -1 ? RANKS.length : rank;
};

type Difference = Omit<DefinitionChange, 'path'>;

function diffLeaf(old: Leaf | undefined, now: Leaf | undefined): Difference {
  const isOther = (leaf: Leaf | undefined): boolean => leaf !== undefined && leaf.text === undefined;
  if (isOther(old) || isOther(now)) return { line: undefined, before: old?.json, after: now?.json };
  return diffLines(linesIn(old), linesIn(now));
}

const linesIn = (leaf: Leaf | undefined): readonly string[] =>
  leaf?.text === undefined ? [] : linesOf(leaf.text);

function diffLines(old: readonly string[], now: readonly string[]): Difference {
  const { start, end } = commonEnds(old, now);
  const part = (lines: readonly string[]): string | undefined =>
    lines.length - end > start ? lines.slice(start, lines.length - end).join('\n') : undefined;
  const isPart = old.length > 0 && now.length > 0 && old.length + now.length > 2;
  return { line: isPart ? start + 1 : undefined, before: part(old), after: part(now) };
}
