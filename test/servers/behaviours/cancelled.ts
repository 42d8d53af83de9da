import { define, structured, type Tool } from '../tool.ts';

export const cancelled: Tool = {
  definition: define('cancelled', 'Returns the calls that were cancelled so far: { count, calls, stray }.'),
  handle({ server }) {
    const { cancelled: calls, stray } = server.calls;
    return structured({ count: calls.length, calls: calls.map((call) => ({ ...call })), stray });
  },
};
