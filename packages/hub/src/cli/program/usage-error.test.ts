import { describe, expect, it } from 'vitest';
import { usageError } from './usage-error.ts';

describe('usageError', () => {
  it.each([
    ["error: unknown command 'lst'\n(Did you mean list?)", 'Unknown command "lst".', 'Did you mean list?'],
    ["error: missing required argument 'name'", 'Missing required argument "name".', 'Run `pincer --help`.'],
    [
      "error: option '--port <n>' argument 'x' is invalid. A port is a number.",
      'Option "--port <n>" argument "x" is invalid. A port is a number.',
      'Run `pincer --help`.',
    ],
  ])('%j', (text, message, hint) => expect(usageError(text)).toMatchObject({ code: 'USAGE', message, hint }));
});
