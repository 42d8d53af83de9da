/** Why a child is gone or never came, as the end of a sentence that begins with the server's name. */
import { existsSync } from 'node:fs';
import type { SpawnOptions } from '../core/ports.ts';

export const exitReason = (code: number | null, signal: NodeJS.Signals | null): string =>
  signal === null ? `exited with code ${code}` : `was ended by ${signal}`;

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error);

function cause(code: string, { command, cwd }: SpawnOptions): string {
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

export const startFailure = (error: unknown, options: SpawnOptions): string =>
  `could not be started: ${cause(codeOf(error), options)}`;

export const journalFailure = (error: unknown): string =>
  `could not be started: the journal of children cannot be written (${codeOf(error)})`;
