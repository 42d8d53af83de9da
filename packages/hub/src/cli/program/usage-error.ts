import { PincerError } from '../../core/errors.ts';

/** The library's `error: unknown command 'lst'` and `(Did you mean list?)` in our words. */
export function usageError(text: string): PincerError {
  const [first = '', suggestion] = text.split('\n');
  const sentence = first.replace(/^error: /, '').replaceAll("'", '"');
  const message = `${sentence.charAt(0).toUpperCase()}${sentence.slice(1).replace(/\.$/, '')}.`;
  const meant = /\(?Did you mean (.*)\?\)?/.exec(suggestion ?? '')?.[1];
  return new PincerError('USAGE', message, {
    hint: meant === undefined ? 'Run `pincer --help`.' : `Did you mean ${meant}?`,
  });
}
