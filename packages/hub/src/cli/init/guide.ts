/** Makes the decisions during `pincer init`: asks the person at the terminal, or answers as `--yes` does. */
import { note } from '../terminal/output.ts';
import { openPerson } from '../terminal/person.ts';

export interface Guide extends Disposable {
  /** Whether a person answers. */
  readonly isPerson: boolean;
  say(text: string): void;
  /** Chooses from `count` items; default: all. */
  choose(question: string, count: number): Promise<readonly number[]>;
  /** Chooses from `count` items; default: none. */
  pick(question: string, count: number): Promise<readonly number[]>;
  /** Returns what the person types, or an empty text without a person. */
  ask(question: string): Promise<string>;
  /** Default: no. */
  agree(question: string): Promise<boolean>;
}

const MAX_TRIES = 5;

interface Asked {
  readonly question: string;
  read(answer: string): Choice;
  /** The valid answers, shown after an invalid one. */
  readonly validAnswers: string;
}

export function openGuide(): Guide {
  const person = openPerson();

  async function choose(asked: Asked): Promise<readonly number[]> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const answer = await person.ask(asked.question);
      // The input has ended, so choose nothing.
      if (answer === undefined) return [];
      const choice = asked.read(answer.trim());
      if (choice !== 'unclear') return choice;
      note(`Please answer ${asked.validAnswers}.\n`);
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
        validAnswers: `y, n, or numbers from 1 to ${count}`,
      }),
    pick: (question, count) =>
      choose({
        question: `${question} ${count === 1 ? '[y/N]' : '[numbers such as 1 3, or all; Enter for none]'} `,
        // For several items, "yes" is ambiguous and does not mean all.
        read: (answer) =>
          count > 1 && /^y(?:es)?$/i.test(answer)
            ? 'unclear'
            : parseChoice(answer === '' ? 'n' : answer, count),
        validAnswers: count === 1 ? 'y or n' : `numbers from 1 to ${count}, all, or none`,
      }),
    async agree(question) {
      const answer = await person.ask(`${question} [y/N] `);
      return answer !== undefined && /^y(?:es)?$/i.test(answer);
    },
    [Symbol.dispose]: () => person[Symbol.dispose](),
  };
}

/** For scripts: imports and connects everything, but switches nothing on and installs no service. */
export const yesGuide = (isQuiet: boolean): Guide => ({
  isPerson: false,
  ask: () => Promise.resolve(''),
  say: isQuiet ? () => undefined : note,
  choose: (_question, count) => Promise.resolve(Array.from({ length: count }, (_, index) => index)),
  pick: () => Promise.resolve([]),
  agree: () => Promise.resolve(false),
  [Symbol.dispose]: () => undefined,
});

/** Indexes of the chosen items. */
type Choice = readonly number[] | 'unclear';

/** Yes means all, no means none. Numbers in the text start at 1; the returned indexes start at 0. */
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

/** A row of a list to choose from, with its number, followed by `mark`. */
export const numbered = (cells: readonly string[], index: number, mark = ' '): string[] => [
  `  ${String(index + 1).padStart(2)}${mark}`,
  ...cells,
];
