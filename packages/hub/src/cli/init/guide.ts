/** Who decides during `pincer init`: a person at the terminal, or `--yes`. */
import { note } from '../terminal/output.ts';
import { openPerson } from '../terminal/person.ts';

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

interface Asked {
  readonly question: string;
  read(answer: string): Choice;
  /** What can be said, for somebody who said something else. */
  readonly taken: string;
}

export function openGuide(): Guide {
  const person = openPerson();

  async function choose(asked: Asked): Promise<readonly number[]> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const answer = await person.ask(asked.question);
      // No more answers will come: nothing is taken for granted.
      if (answer === undefined) return [];
      const choice = asked.read(answer.trim());
      if (choice !== 'unclear') return choice;
      note(`Say ${asked.taken}.\n`);
    }
    return [];
  }

  return {
    isPerson: true,
    say: note,
    ask: async (question) => (await person.ask(question)) ?? '',
    choose: (question, count) =>
      choose({
        question: `${question} ${count === 1 ? '[Y/n]' : '[Y/n, or numbers such as 1 3]'} `,
        read: (answer) => parseChoice(answer === '' ? 'y' : answer, count),
        taken: `y, n, or numbers from 1 to ${count}`,
      }),
    pick: (question, count) =>
      choose({
        question: `${question} ${count === 1 ? '[y/N]' : '[numbers such as 1 3, or all; Enter for none]'} `,
        // Of several, yes may mean some of them: it is not taken for all.
        read: (answer) =>
          count > 1 && /^y(?:es)?$/i.test(answer)
            ? 'unclear'
            : parseChoice(answer === '' ? 'n' : answer, count),
        taken: count === 1 ? 'y or n' : `numbers from 1 to ${count}, all, or none`,
      }),
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

/** Which of several things somebody wants: yes is all, no is none, numbers are those. */
type Choice = readonly number[] | 'unclear';

/** Numbers count from 1, as they are shown; those of the answer count from 0. */
export function parseChoice(answer: string, count: number): Choice {
  const word = answer.trim().toLowerCase();
  if (word === '' || /^(?:y|yes|all)$/.test(word)) return Array.from({ length: count }, (_, index) => index);
  if (/^(?:n|no|none|s|skip)$/.test(word)) return [];
  const parts = word.split(/[\s,]+/).filter((part) => part !== '');
  const numbers = parts.flatMap((part) => rangeOf(part) ?? [Number.NaN]);
  if (numbers.some((number) => !Number.isInteger(number) || number < 1 || number > count)) return 'unclear';
  return [...new Set(numbers)].toSorted((a, b) => a - b).map((number) => number - 1);
}

/** `2-4` is 2, 3 and 4. */
function rangeOf(part: string): number[] | undefined {
  const ends = /^(\d{1,4})(?:-(\d{1,4}))?$/.exec(part);
  if (ends === null) return undefined;
  const first = Number(ends[1]);
  const last = Number(ends[2] ?? ends[1]);
  return last < first ? undefined : Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** A row of a list to choose from, with the number that somebody types; `mark` stands right behind it. */
export const numbered = (cells: readonly string[], index: number, mark = ' '): string[] => [
  `  ${String(index + 1).padStart(2)}${mark}`,
  ...cells,
];
