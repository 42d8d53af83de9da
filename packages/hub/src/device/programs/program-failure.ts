/** Programs that did not end well: what callers are told, and what only the log is. */
import type { ProgramEnd } from '../../core/program.ts';
import { cancelled, CommandFailure, type FailureDetails } from '../registry/failure.ts';

/** Last characters of what it wrote. */
const MAX_WORDS = 2_000;

export const endedWell = ({ kind, exitCode }: Pick<ProgramEnd, 'kind' | 'exitCode'>): boolean =>
  kind === 'exited' && exitCode === 0;

/** For the log: what a program wrote may name devices and paths. */
export class ProgramFailure extends Error {
  readonly end: ProgramEnd;

  constructor(command: string, end: ProgramEnd) {
    const said = end.stderr.toString('utf8').trim().slice(-MAX_WORDS);
    super(`${command} ${end.reason}${said === '' ? '' : `: ${said}`}`);
    this.name = 'ProgramFailure';
    this.end = end;
  }
}

export interface FailureTexts extends Pick<FailureDetails, 'hint' | 'code'> {
  readonly text: string;
  /** Where it was ended because nobody wants it any more. */
  readonly cancelled?: string | undefined;
}

export function failureOfProgram(
  command: string,
  end: ProgramEnd,
  { text, cancelled: cancelledText, hint, code }: FailureTexts,
): CommandFailure {
  const cause = new ProgramFailure(command, end);
  return end.kind === 'aborted'
    ? cancelled({ cause }, cancelledText)
    : new CommandFailure(text, { hint, code, cause });
}
