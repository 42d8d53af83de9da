/** A definition as a flat list of what it says, for people to read. */
import { writeTree, type JsonMembers, type JsonTree } from './json-tree.ts';
import { spelledOut, withoutDisguise } from '../visible.ts';

export interface Leaf {
  /** A description or title, which is read line by line; undefined: anything else. */
  readonly text: string | undefined;
  /** As JSON, nothing hidden in it. */
  readonly json: string;
}

/** Characters of all paths together. A few long keys at the root of many leaves would cost more than they say. */
const MAX_PATH_CHARS = 8 * 1024 * 1024;

/**
 * By the keys that lead there: `inputSchema.properties.path.type`. Different definitions have different leaves.
 * Undefined: the paths are too long to be shown.
 */
export function leavesOf(tree: JsonTree): ReadonlyMap<string, Leaf> | undefined {
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
export const linesOf = (text: string): readonly string[] => spelledOut(text).split('\n');
