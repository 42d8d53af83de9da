import { define, numberArg, text, type Tool } from '../tool.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

export const big: Tool = {
  definition: define('big', 'Returns that many bytes of text.', { bytes: 'number' }),
  handle({ args }) {
    const bytes = numberArg(args, 'bytes');
    return text(ALPHABET.repeat(Math.ceil(bytes / ALPHABET.length)).slice(0, bytes));
  },
};
