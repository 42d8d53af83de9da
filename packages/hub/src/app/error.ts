/** A failure with a stable code, and a hint on what to do next. */
export class AppError extends Error {
  readonly code: string;
  readonly hint: string | undefined;

  constructor(code: string, message: string, details: { hint?: string | undefined; cause?: unknown } = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'AppError';
    this.code = code;
    this.hint = details.hint;
  }
}

/** The message of whatever was thrown, without a stack: callers see it. */
export function messageOf(thrown: unknown): string {
  if (typeof thrown === 'object' && thrown !== null && 'message' in thrown) {
    const { message } = thrown;
    if (typeof message === 'string' && message !== '') return message;
  }
  const text = typeof thrown === 'string' ? thrown : '';
  return text === '' ? 'The tool failed and did not say why.' : text;
}
