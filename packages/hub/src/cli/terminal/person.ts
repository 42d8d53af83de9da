/** Questions to whoever sits at the terminal. */
import { createInterface } from 'node:readline';
import { PincerError } from '../../core/errors.ts';
import { EXIT } from '../exit-codes.ts';

export interface Person extends Disposable {
  /** The answer, without blanks around it; undefined: there will be no more answers. */
  ask(question: string): Promise<string | undefined>;
}

/** Whether somebody is there who can be asked. */
export const isSomebodyThere = (): boolean => process.stdin.isTTY && process.stderr.isTTY;

export const nobodyThere = (hint: string): PincerError =>
  new PincerError('USAGE', 'There is nobody here to ask.', { hint });

/** Questions go to stderr: stdout is for results. What is typed before it is asked for counts. */
export function openPerson(): Person {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const typed: string[] = [];
  const state = { isOver: false };
  let onLine: (() => void) | undefined;
  lines.on('line', (line) => {
    typed.push(line);
    onLine?.();
  });
  lines.once('close', () => {
    state.isOver = true;
    onLine?.();
  });
  // A terminal that is read from by lines sends no signal.
  lines.on('SIGINT', () => process.emit('SIGINT', 'SIGINT') || process.exit(EXIT.interrupted));
  return {
    async ask(question) {
      if (state.isOver) return typed.shift()?.trim();
      lines.setPrompt(question);
      lines.prompt();
      while (typed.length === 0 && !state.isOver) await new Promise<void>((resolve) => (onLine = resolve));
      return typed.shift()?.trim();
    },
    [Symbol.dispose]: () => lines.close(),
  };
}

/** False unless the person says yes. Where nobody is there to ask, `flag` is named. */
export async function confirm(question: string, flag: string): Promise<boolean> {
  if (!isSomebodyThere()) throw nobodyThere(`Say ${flag} where a script decides.`);
  using person = openPerson();
  const answer = await person.ask(`${question} [y/N] `);
  return answer !== undefined && /^y(es)?$/i.test(answer);
}
