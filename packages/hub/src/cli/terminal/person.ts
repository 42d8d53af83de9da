/** Asks the person at the terminal. */
import { createInterface } from 'node:readline';
import { PincerError } from '../../core/errors.ts';
import { EXIT } from '../exit-codes.ts';

export interface Person extends Disposable {
  /** Returns the trimmed answer, or undefined if the input has ended. */
  ask(question: string): Promise<string | undefined>;
}

/** Whether a person can be asked. */
export const isInteractive = (): boolean => process.stdin.isTTY && process.stderr.isTTY;

export const notInteractive = (hint: string): PincerError =>
  new PincerError('USAGE', 'This command asks questions, but there is no terminal to answer on.', { hint });

/** Questions go to stderr, because stdout is for results. Lines typed before a question answer it. */
export function openPerson(): Person {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const typed: string[] = [];
  const state = { hasEnded: false };
  let onLine: (() => void) | undefined;
  lines.on('line', (line) => {
    typed.push(line);
    onLine?.();
  });
  lines.once('close', () => {
    state.hasEnded = true;
    onLine?.();
  });
  // While readline reads from the terminal, Ctrl+C sends no signal to the process.
  lines.on('SIGINT', () => process.emit('SIGINT', 'SIGINT') || process.exit(EXIT.interrupted));
  return {
    async ask(question) {
      if (state.hasEnded) return typed.shift()?.trim();
      lines.setPrompt(question);
      lines.prompt();
      while (typed.length === 0 && !state.hasEnded) await new Promise<void>((resolve) => (onLine = resolve));
      return typed.shift()?.trim();
    },
    [Symbol.dispose]: () => lines.close(),
  };
}

/** Returns true only if the person says yes. Throws without a terminal; the hint names `flag`. */
export async function confirm(question: string, flag: string): Promise<boolean> {
  if (!isInteractive()) throw notInteractive(`To confirm without being asked, add ${flag}`);
  using person = openPerson();
  const answer = await person.ask(`${question} [y/N] `);
  return answer !== undefined && /^y(es)?$/i.test(answer);
}
