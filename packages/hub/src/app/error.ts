/** A failure with a stable code and a hint about the next step. */
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

/** The message of a thrown value, without a stack, because callers see it. */
export function messageOf(thrown: unknown): string {
  if (typeof thrown === 'object' && thrown !== null && 'message' in thrown) {
    const { message } = thrown;
    if (typeof message === 'string' && message !== '') return message;
  }
  const text = typeof thrown === 'string' ? thrown : '';
  return text === '' ? 'The tool failed without a reason.' : text;
}
