import { readTree, writeTree } from './json-tree.ts';
import type { ByteText } from '../wire/byte-text.ts';

/**
 * A definition without what says nothing: order of keys, space between tokens, spelling of strings. Everything else
 * stays, members that only some readers know and keys that occur twice too: two definitions that any reader could take
 * for different ones never have the same form.
 */
export function canonicalDefinition(raw: ByteText): string {
  const tree = readTree(raw);
  // What nests absurdly deep is compared byte for byte.
  return tree === undefined ? `deep:${raw}` : writeTree(tree);
}
