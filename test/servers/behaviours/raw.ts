import { define, text, type Tool } from '../tool.ts';

export const raw: Tool = {
  definition: define('raw', 'Returns the exact text of the params that arrived.', {}, { readOnlyHint: true }),
  handle: ({ rawParams }) => text(rawParams),
};
