import type { ErrorCode } from '../../core/errors.ts';

export interface Finding {
  readonly severity: 'ok' | 'warn' | 'error';
  /** The file, setting or part that the finding is about. */
  readonly path: string;
  readonly message: string;
  readonly fixHint?: string | undefined;
  /** Only for errors. */
  readonly code?: ErrorCode | undefined;
}

/** `fixHint`: how to change it, although nothing is wrong. */
export const ok = (path: string, message: string, fixHint?: string): Finding => ({
  severity: 'ok',
  path,
  message,
  fixHint,
});

export const warn = (path: string, message: string, fixHint: string | undefined): Finding => ({
  severity: 'warn',
  path,
  message,
  fixHint,
});

export const error = (
  code: ErrorCode,
  path: string,
  message: string,
  fixHint: string | undefined,
): Finding => ({
  severity: 'error',
  path,
  message,
  fixHint,
  code,
});

/** Same as `engines` in package.json and the check in bin/pincer.js. */
const MIN_MAJOR = 24;
const MIN_MINOR = 16;

export function checkNodeVersion(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > MIN_MAJOR || (major === MIN_MAJOR && minor >= MIN_MINOR)) return ok('node', `Node ${version}.`);
  return error(
    'INTERNAL',
    'node',
    `Node ${version} is too old.`,
    `Install Node ${MIN_MAJOR}.${MIN_MINOR} or newer.`,
  );
}
