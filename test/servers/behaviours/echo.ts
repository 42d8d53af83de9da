import { define, stringArg, text, type Tool } from '../tool.ts';

export const echo: Tool = {
  definition: define('echo', 'Returns the message.', { message: 'string' }, { readOnlyHint: true }),
  handle: ({ args }) => text(stringArg(args, 'message')),
};
