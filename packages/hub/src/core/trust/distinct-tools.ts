import { seenOf } from './clean-text.ts';
import type { Definition } from '../catalog/definition.ts';

/**
 * The tools of one server that can be told apart. Of one name that is there twice, the first counts. A name that looks
 * like another one, because what makes the difference cannot be seen, is left out; so is one with half of a character,
 * which could not be kept as it is.
 */
export function distinctTools<D extends Definition>(tools: readonly D[]): readonly D[] {
  const plain = new Set(tools.map(({ name }) => name).filter((name) => seenOf(name) === name));
  const taken = new Set<string>();
  return tools.filter(({ name }) => {
    const seen = seenOf(name);
    if (!name.isWellFormed() || taken.has(seen) || (seen !== name && plain.has(seen))) return false;
    taken.add(seen);
    return true;
  });
}
