import { define, stringArg, text, type Tool } from '../tool.ts';

export const sink: Tool = {
  definition: define('sink', 'Takes any amount of text and returns its length.', { data: 'string' }),
  handle: ({ args }) => text(String(stringArg(args, 'data').length)),
};
