/** A failure that the app should know of: what happened, by a stable code, and what to do next. */
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

/** What was thrown, in words, without a stack: it is told to others. */
export function messageOf(thrown: unknown): string {
  if (typeof thrown === 'object' && thrown !== null && 'message' in thrown) {
    const { message } = thrown;
    if (typeof message === 'string' && message !== '') return message;
  }
  const text = typeof thrown === 'string' ? thrown : '';
  return text === '' ? 'The tool failed and did not say why.' : text;
}
