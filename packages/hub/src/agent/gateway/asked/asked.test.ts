import { expect, it } from 'vitest';
import { isAskedBy } from './asked.ts';

const run = { runId: 'r1', sessionKey: () => 'agent:main:mcp:a:b' };

it.each([
  ['r1', 'agent:main:mcp:a:b', true],
  ['r1', undefined, true],
  ['r2', 'agent:main:mcp:a:b', false],
  [undefined, 'agent:main:mcp:a:b', true],
  [undefined, 'agent:other:mcp:a:b', false],
  [undefined, undefined, false],
])('what is asked is of the run that it names, or else of its conversation: %s %s %s', (...names) => {
  const [runId, sessionKey, isIt] = names;
  expect(isAskedBy(run, { runId, sessionKey })).toBe(isIt);
});
