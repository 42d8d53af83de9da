/** A wrong setting. It disables only what it configures. */
import { PincerError, type ErrorCode } from './errors.ts';

export interface ConfigProblem {
  /** The first word of the setting: `servers`, `proxy`, `policy` … */
  readonly section: string;
  /** The name of the server or app. */
  readonly name?: string | undefined;
  /** `servers.docs.url`. */
  readonly setting: string;
  /** Where it is written; absent if the text came from elsewhere. */
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly code: ErrorCode;
  /** A sentence that includes the place. */
  readonly message: string;
  readonly hint: string;
  /** What is switched off because of it, as a sentence; absent if the server's state shows it. */
  readonly effect?: string | undefined;
  /** The `variable` or `secret` that a reference names but that does not exist. */
  readonly missing?: Readonly<Record<string, unknown>> | undefined;
}

/** A server whose configuration cannot be used. */
export interface FailedServer {
  /** As written; possibly not a valid server name. */
  readonly name: string;
  /** False if it is also switched off. */
  readonly enabled: boolean;
  readonly transport: 'http' | 'stdio';
  readonly shown: string;
  readonly origin: 'config.json' | 'openclaw.json';
  readonly problems: readonly ConfigProblem[];
}

export const failedText = ({ problems }: Pick<FailedServer, 'problems'>): string =>
  problems.map(({ message }) => message).join(' ');

/** The error for a caller of a failed server. */
export function failedError(server: Pick<FailedServer, 'problems'>): PincerError {
  const { code, hint, setting, file, line } = server.problems[0]!;
  return new PincerError('SERVER_UNREACHABLE', failedText(server), {
    hint,
    data: { outcome: 'not_executed', cause: code, setting, file, line },
  });
}
