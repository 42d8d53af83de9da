import { define, structured, type Tool } from '../tool.ts';

export const env: Tool = {
  definition: define('env', 'Returns the environment of the server process.'),
  handle: ({ env: variables }) => structured({ ...variables }),
};
