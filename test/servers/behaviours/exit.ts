import { define, numberArg, type Tool } from '../tool.ts';

export const exit: Tool = {
  definition: define('exit', 'Ends the process without an answer.', { code: 'number?' }),
  handle: ({ args }) => process.exit(numberArg(args, 'code', 0)),
};
