import { cut } from '../json.ts';
import { define, text, type Tool } from '../tool.ts';

export const meta: Tool = {
  definition: define('meta', 'Returns the exact text of the _meta that arrived, or nothing.'),
  handle: ({ rawParams }) => text(cut(rawParams, '_meta') ?? ''),
};
