import { define, stringArg, text, type Tool } from '../tool.ts';

export const fail: Tool = {
  definition: define('fail', 'Fails as a tool: isError.', { message: 'string?' }),
  handle: ({ args }) => ({ ...text(stringArg(args, 'message', 'failed')), isError: true }),
};
