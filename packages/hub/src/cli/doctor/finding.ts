import type { ErrorCode } from '../../core/errors.ts';

export interface Finding {
  readonly severity: 'ok' | 'warn' | 'error';
  /** The file, setting or part that this is about. */
  readonly path: string;
  readonly message: string;
  readonly fixHint?: string | undefined;
  /** Of an error. */
  readonly code?: ErrorCode | undefined;
}

/** `fixHint`: for whoever wants it otherwise. */
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
