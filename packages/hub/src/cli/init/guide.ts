/** Who decides during `pincer init`: a person at the terminal, or `--yes`. */
import { note } from '../terminal/output.ts';
import { openPerson } from '../terminal/person.ts';
import { parseChoice } from './choice.ts';

export interface Guide extends Disposable {
  /** Somebody sits there. */
  readonly isPerson: boolean;
  say(text: string): void;
  /** Which of `count` things; all unless somebody says otherwise. */
  choose(question: string, count: number): Promise<readonly number[]>;
  /** Which of `count` things; none unless somebody names them. */
  pick(question: string, count: number): Promise<readonly number[]>;
  /** What somebody types; nothing where nobody does. */
  ask(question: string): Promise<string>;
  /** No, unless somebody says yes. */
  agree(question: string): Promise<boolean>;
}

const MAX_TRIES = 5;

export function openGuide(): Guide {
  const person = openPerson();

  async function choose(question: string, count: number, usual: string): Promise<readonly number[]> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const answer = await person.ask(question);
      // No more answers will come: nothing is taken for granted.
      if (answer === undefined) return [];
      const choice = parseChoice(answer.trim() === '' ? usual : answer, count);
      if (choice !== 'unclear') return choice;
      note(`Say y, n, or numbers from 1 to ${count}.\n`);
    }
    return [];
  }

  return {
    isPerson: true,
    say: note,
    ask: async (question) => (await person.ask(question)) ?? '',
    choose: (question, count) =>
      choose(`${question} ${count === 1 ? '[Y/n]' : '[Y/n, or numbers such as 1 3]'} `, count, 'y'),
    pick: (question, count) =>
      choose(`${question} ${count === 1 ? '[y/N]' : '[y/N, or numbers such as 1 3]'} `, count, 'n'),
    async agree(question) {
      const answer = await person.ask(`${question} [y/N] `);
      return answer !== undefined && /^y(?:es)?$/i.test(answer);
    },
    [Symbol.dispose]: () => person[Symbol.dispose](),
  };
}

/** For scripts: everything that was found, and nothing that changes how the machine starts. */
export const yesGuide = (isQuiet: boolean): Guide => ({
  isPerson: false,
  ask: () => Promise.resolve(''),
  say: isQuiet ? () => undefined : note,
  choose: (_question, count) => Promise.resolve(Array.from({ length: count }, (_, index) => index)),
  pick: () => Promise.resolve([]),
  agree: () => Promise.resolve(false),
  [Symbol.dispose]: () => undefined,
});
