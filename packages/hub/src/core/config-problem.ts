/** A setting that is wrong, and what it stops: itself, and nothing else. */
import { PincerError, type ErrorCode } from './errors.ts';

export interface ConfigProblem {
  /** The first word of the setting: `servers`, `proxy`, `policy` … */
  readonly section: string;
  /** Of the server, or of the app. */
  readonly name?: string | undefined;
  /** `servers.docs.url`. */
  readonly setting: string;
  /** The file that it is in, and the line; absent: the text came from elsewhere. */
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly code: ErrorCode;
  /** A sentence, with the place. */
  readonly message: string;
  readonly hint: string;
  /** What is switched off because of it, as a sentence; absent: the state of the server says so. */
  readonly effect?: string | undefined;
  /** A reference leads to this `variable` or `secret`, which is not there. */
  readonly missing?: Readonly<Record<string, unknown>> | undefined;
}

/** A server that cannot be used as it is written. */
export interface FailedServer {
  /** As it is written: it may be one that no server can have. */
  readonly name: string;
  /** False: it is switched off, too. */
  readonly enabled: boolean;
  readonly transport: 'http' | 'stdio';
  readonly shown: string;
  readonly origin: 'config.json' | 'openclaw.json';
  readonly problems: readonly ConfigProblem[];
}

export const failedText = ({ problems }: Pick<FailedServer, 'problems'>): string =>
  problems.map(({ message }) => message).join(' ');

/** What a caller of a failed server is told. */
export function failedError(server: Pick<FailedServer, 'problems'>): PincerError {
  const { code, hint, setting, file, line } = server.problems[0]!;
  return new PincerError('SERVER_UNREACHABLE', failedText(server), {
    hint,
    data: { outcome: 'not_executed', cause: code, setting, file, line },
  });
}
