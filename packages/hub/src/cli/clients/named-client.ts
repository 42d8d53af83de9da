import { closest } from '../../lib/text.ts';
import { PincerError } from '../../core/errors.ts';

/** The client that a command was given by its name; throws with the one that was probably meant. */
export function namedClient<C extends { readonly id: string }>(word: string, clients: readonly C[]): C {
  const found = clients.find(({ id }) => id === word.toLowerCase());
  if (found !== undefined) return found;
  const ids = clients.map(({ id }) => id);
  const meant = closest(word, ids);
  throw new PincerError('USAGE', `Pincer does not know a client "${word}".`, {
    hint: meant === undefined ? `It is one of ${ids.join(', ')}.` : `Did you mean ${meant}?`,
  });
}
