import type { Command } from 'commander';
import { closest } from '../../lib/text.ts';
import { PincerError } from '../../core/errors.ts';
import { visible } from '../../core/visible.ts';

/** The library's `error: unknown command 'lst'` and `(Did you mean list?)` in our words. */
export function usageError(text: string, command?: UsedCommand): PincerError {
  const [first = '', suggestion] = text.split('\n');
  const unknown = / but got \d+: ([^,]*)/.exec(first)?.[1]?.replace(/\.$/, '');
  if (unknown !== undefined && command !== undefined && command.parts.length > 0)
    return unknownPart(unknown, command);
  const sentence = first.replace(/^error: /, '').replaceAll("'", '"');
  const message = `${sentence.charAt(0).toUpperCase()}${sentence.slice(1).replace(/\.$/, '')}.`;
  const meant = /\(?Did you mean (.*)\?\)?/.exec(suggestion ?? '')?.[1];
  return new PincerError('USAGE', message, {
    hint: meant === undefined ? `Run \`${command?.words ?? 'pincer'} --help\`.` : `Did you mean ${meant}?`,
  });
}

/** What somebody has written as far as it was understood, and what could follow. */
export interface UsedCommand {
  /** `pincer device`. */
  readonly words: string;
  readonly parts: readonly string[];
}

/** The library takes what is no command below one that runs by itself for an argument too many. */
function unknownPart(word: string, { words, parts }: UsedCommand): PincerError {
  const near = closest(word, parts);
  const all = parts.map((part) => `${words} ${part}`).join(', ');
  return new PincerError('USAGE', `\`${words}\` has no command "${visible(word)}".`, {
    hint:
      near === undefined
        ? `There ${parts.length === 1 ? 'is' : 'are'}: ${all}.`
        : `Did you mean ${words} ${near}?`,
  });
}

export function usedCommand(program: Command, words: readonly string[]): UsedCommand {
  let command = program;
  const names = [program.name()];
  for (const word of words) {
    if (word.startsWith('-')) continue;
    const next = command.commands.find((each) => each.name() === word);
    if (next === undefined) break;
    names.push(word);
    command = next;
  }
  return { words: names.join(' '), parts: command.commands.map((each) => each.name()) };
}
