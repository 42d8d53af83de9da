import { readTree, writeTree } from './json-tree.ts';
import type { ByteText } from '../wire/byte-text.ts';

/**
 * Removes what has no meaning: key order, white space, string spelling. Keeps everything else, including unknown members
 * and duplicate keys: two definitions that any reader could read differently never have the same form.
 */
export function canonicalDefinition(raw: ByteText): string {
  const tree = readTree(raw);
  // Very deep definitions are compared byte for byte.
  return tree === undefined ? `deep:${raw}` : writeTree(tree);
}
