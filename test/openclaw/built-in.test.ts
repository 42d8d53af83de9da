/** What OpenClaw does by itself, through its own client: the ground on which everything else here stands. */
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { openHost } from '../kit/openclaw/host.ts';
import type { Operator } from '../kit/openclaw/operator.ts';

const host = openHost(inject('openclaw'));
let operator: Operator;

beforeAll(async () => {
  operator = await host.operator();
});
afterAll(() => operator[Symbol.asyncDispose]());

test('an agent that is told nothing repeats what was said', async () => {
  expect(await operator.chat('agent:main:built-in', 'hello there')).toBe('echo: hello there');
});

test('an agent calls a tool of a server in mcp.servers', async () => {
  const { text, calls } = await operator.turn(
    'agent:main:built-in',
    'call:builtin__echo {"message":"through OpenClaw alone"}',
  );
  expect(text).toBe('RESULT(Echo: through OpenClaw alone)');
  expect(calls).toMatchObject([
    {
      name: 'builtin__echo',
      args: { message: 'through OpenClaw alone' },
      isError: false,
      text: 'Echo: through OpenClaw alone',
    },
  ]);
  expect(calls[0]?.ms).toBeGreaterThanOrEqual(0);
});

test('the model is offered the tools by their names, and calls one as often as it is told', async () => {
  const said = 'repeat:3 call:builtin__get-sum {"a":$N,"b":40}';
  const { text, calls } = await operator.turn('agent:main:built-in', said);
  expect(text).toBe('RESULT(The sum of 2 and 40 is 42.)');
  expect(calls.map(({ args }) => args)).toEqual([0, 1, 2].map((a) => ({ a, b: 40 })));
  const asked = await host.asked(said);
  expect(asked).toHaveLength(4);
  expect(asked[0]?.tools.map(({ name }) => name)).toContain('builtin__get-sum');
  expect(asked[0]?.bytes).toBeGreaterThan(0);
});
