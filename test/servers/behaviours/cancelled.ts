import { define, structured, type Tool } from '../tool.ts';

export const cancelled: Tool = {
  definition: define(
    'cancelled',
    'Returns the calls in flight and those cancelled so far: { running, count, calls, stray }.',
  ),
  handle({ server }) {
    const { running, cancelled: calls, stray } = server.calls;
    return structured({ running, count: calls.length, calls: calls.map((call) => ({ ...call })), stray });
  },
};
