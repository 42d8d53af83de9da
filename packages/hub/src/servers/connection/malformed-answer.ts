import { PincerError } from '../../core/errors.ts';

/** An answer came, and nobody can tell what it says. */
export const malformedAnswer = (server: string, error: Error): PincerError =>
  new PincerError(
    'SERVER_PROTOCOL',
    `Server "${server}" answered something that is not MCP: ${error.message}`,
    {
      hint: 'Check whether the call took effect before you repeat it.',
    },
  );
