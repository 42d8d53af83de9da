/** Prints the error of a failed command and chooses its exit code. */
import { docsLink, PincerError } from '../core/errors.ts';
import { visibleBlock, visible } from '../core/visible.ts';
import { exitCodeOf, EXIT_TYPES, type ExitCode } from './exit-codes.ts';
import { note, printJson } from './terminal/output.ts';
import { styleFor, type Style } from './terminal/style.ts';

export interface FailureOptions {
  readonly json: boolean;
  readonly debug: boolean;
}

export function reportFailure(error: unknown, { json, debug }: FailureOptions): ExitCode {
  const failure = PincerError.from(error);
  const exitCode = exitCodeOf(failure.code);
  if (json) printJson({ ok: false, error: describeFailure(failure) });
  else note(renderFailure(failure, styleFor(process.stderr)));
  if (debug) note(`${visibleBlock(stackOf(failure))}\n`);
  return exitCode;
}

export const describeFailure = (failure: PincerError): object => ({
  type: EXIT_TYPES[exitCodeOf(failure.code)],
  code: failure.code,
  message: failure.message,
  hint: failure.hint ?? null,
  docs: docsLink(failure.code),
  ...(Array.isArray(failure.data?.['stderr']) && { stderr: failure.data['stderr'] as unknown[] }),
  ...(typeof failure.data?.['outcome'] === 'string' && { outcome: failure.data['outcome'] }),
});

const stackOf = (failure: PincerError): string => {
  const cause = failure.cause instanceof Error ? `\ncaused by ${failure.cause.stack}` : '';
  return `${failure.stack}${cause}`;
};

/** The server's stderr, the message, the hint, and the command that explains the code. */
export function renderFailure({ code, message, hint, data }: PincerError, style: Style): string {
  const stderr = Array.isArray(data?.['stderr']) ? data['stderr'].map(String) : [];
  const lines = [
    ...stderr.map((line) => style.dim(`  | ${visible(line)}`)),
    style.red(visibleBlock(message)),
  ];
  if (hint !== undefined) lines.push(`${style.bold('hint:')} ${visibleBlock(hint)}`);
  lines.push(style.dim(`more: pincer explain ${code}`));
  return `${lines.join('\n')}\n`;
}
