/** The differences between two definitions, for people. */
import { commonEnds } from '../../lib/text.ts';
import { readTree, writeTree, type JsonMembers, type JsonTree } from './json-tree.ts';
import { spelledOut, withoutDisguise } from '../visible.ts';
import { fromByteText, type ByteText } from '../wire/byte-text.ts';

export interface DefinitionChange {
  /** The path to the value, `inputSchema.properties.path.type`; empty for the whole definition. */
  readonly path: string;
  /**
   * For a text of several lines: the first changed line, counted from 1. Equal lines at the beginning and the end are
   * omitted.
   */
  readonly line: number | undefined;
  /** Text to show unchanged, one or several lines; undefined if there was no value. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Omits and cuts no difference. Without `before`, returns everything in the new definition. */
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

/** For definitions too large to take apart. */
const shown = (raw: ByteText | undefined): string | undefined => raw && spelledOut(fromByteText(raw));

type Leaves = ReadonlyMap<string, Leaf>;

const NOTHING: Leaves = new Map();

const diffLeaves = (old: Leaves, now: Leaves): DefinitionChange[] =>
  [...new Set([...old.keys(), ...now.keys()])]
    .filter((path) => old.get(path)?.json !== now.get(path)?.json)
    .toSorted((a, b) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1))
    .map((path) => ({ path, ...diffLeaf(old.get(path), now.get(path)) }));

/** Fields that people read first. */
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
  /** A description or title, compared line by line; undefined for any other value. */
  readonly text: string | undefined;
  /** As JSON without hidden characters. */
  readonly json: string;
}

/** Total length of all paths. A few long keys above many leaves would make the paths far too long. */
const MAX_PATH_CHARS = 8 * 1024 * 1024;

/**
 * A definition as a flat list of paths and values, such as `inputSchema.properties.path.type`. Different definitions have
 * different leaves. Returns undefined if the paths are too long to show.
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

/** Numbers duplicate keys, so that each of them is shown. */
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

/** Lines of a text, without hidden characters. */
const linesOf = (text: string): readonly string[] => spelledOut(text).split('\n');
