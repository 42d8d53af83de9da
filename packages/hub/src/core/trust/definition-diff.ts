/** How a definition differs from another one, for people to read. */
import { commonEnds } from '../../lib/text.ts';
import { readTree, writeTree, type JsonMembers, type JsonTree } from './json-tree.ts';
import { spelledOut, withoutDisguise } from '../visible.ts';
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

interface Leaf {
  /** A description or title, which is read line by line; undefined: anything else. */
  readonly text: string | undefined;
  /** As JSON, nothing hidden in it. */
  readonly json: string;
}

/** Characters of all paths together. A few long keys at the root of many leaves would cost more than they say. */
const MAX_PATH_CHARS = 8 * 1024 * 1024;

/**
 * A definition as a flat list of what it says, for people to read. By the keys that lead there:
 * `inputSchema.properties.path.type`. Different definitions have different leaves. Undefined: the paths are too
 * long to be shown.
 */
function leavesOf(tree: JsonTree): ReadonlyMap<string, Leaf> | undefined {
  const leaves = new Map<string, Leaf>();
  let chars = 0;

  function collect(tree: JsonTree, path: string): void {
    if (chars > MAX_PATH_CHARS) return;
    if (tree.kind === 'members' && tree.members.length > 0)
      for (const [key, value, count] of numbered(tree)) {
        const inner = `${path}${step(key, path === '')}${count === 1 ? '' : `#${count}`}`;
        if (value.kind === 'text' && isText(key)) add(inner, textLeaf(value.text));
        else collect(value, inner);
      }
    else if (tree.kind === 'list' && tree.elements.some(isNested))
      for (const [index, element] of tree.elements.entries()) collect(element, `${path}[${index}]`);
    else add(path, { text: undefined, json: withoutDisguise(writeTree(tree)) });
  }

  function add(path: string, leaf: Leaf): void {
    chars += path.length;
    if (chars <= MAX_PATH_CHARS) leaves.set(path, leaf);
  }

  collect(tree, '');
  return chars > MAX_PATH_CHARS ? undefined : leaves;
}

const isNested = ({ kind }: JsonTree): boolean => kind === 'members' || kind === 'list';

/** A key that is there twice is two things to look at. */
function* numbered({ members }: JsonMembers): Generator<[key: string, value: JsonTree, count: number]> {
  let last: string | undefined;
  let count = 1;
  for (const [key, value] of members) {
    count = key === last ? count + 1 : 1;
    last = key;
    yield [key, value, count];
  }
}

const textLeaf = (text: string): Leaf => ({ text, json: withoutDisguise(JSON.stringify(text)) });

const isText = (key: string): boolean => key === 'description' || key === 'title';

const PLAIN_KEY = /^[\w$-]+$/;

const step = (key: string, isFirst: boolean): string =>
  PLAIN_KEY.test(key) ? `${isFirst ? '' : '.'}${key}` : `[${withoutDisguise(JSON.stringify(key))}]`;

/** Lines of a text, nothing hidden in them. */
const linesOf = (text: string): readonly string[] => spelledOut(text).split('\n');
