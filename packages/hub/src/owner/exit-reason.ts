/** Why a child ended or failed to start, as the end of a sentence that begins with the server's name. */
import { existsSync } from 'node:fs';
import type { ProgramRun } from '../core/program.ts';

export const exitReason = (code: number | null, signal: NodeJS.Signals | null): string =>
  signal === null ? `exited with code ${code}` : `was ended by ${signal}`;

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error);

/** Why a program cannot be started. */
export function startObstacle(error: unknown, { command, cwd }: Pick<ProgramRun, 'command' | 'cwd'>): string {
  const code = codeOf(error);
  switch (code) {
    case 'ENOENT':
      // The system reports a missing working folder as if the command were missing.
      if (cwd !== undefined && !existsSync(cwd)) return `no such folder "${cwd}"`;
      return `no such command "${command}"`;
    case 'ENOTDIR':
      return cwd === undefined ? `no such command "${command}"` : `"${cwd}" is not a folder`;
    case 'EACCES':
      return 'permission denied';
    case 'E2BIG':
      return 'its arguments and environment are too long';
    case 'EMFILE':
    case 'ENFILE':
      return 'too many files are open';
    case 'EAGAIN':
      return 'too many processes are running';
    default:
      // Not the message: it may quote an argument, and arguments may hold secrets.
      return code;
  }
}

export const journalObstacle = (error: unknown): string =>
  `the journal of children cannot be written (${codeOf(error)})`;

export const couldNotStart = (obstacle: string): string => `could not be started: ${obstacle}`;
