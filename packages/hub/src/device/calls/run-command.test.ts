/** The call of a command always ends, also for invalid results of third-party capabilities. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { HandExchange } from '../../../../../test/kit/fake-wire.ts';
import { STRANGER } from '../../core/client.ts';
import { jsonBytes } from '../../core/wire/byte-text.ts';
import { readMembers } from '../../core/wire/members.ts';
import { defineCapability, type Command } from '../registry/capability.ts';
import { runCommand } from './run-command.ts';

const ring: Record<string, unknown> = {};
ring['ring'] = ring;

const returning = (payload: unknown): Partial<Command> =>
  ({ run: () => payload as object }) as Partial<Command>;

async function textOf(more: object, args: object = {}): Promise<string> {
  const command = {
    description: 'tries',
    input: z.object({ level: z.number().max(100).optional() }),
    output: z.looseObject({}),
    annotations: { title: 'Try', readOnlyHint: true },
    run: () => ({}),
    ...more,
  } as Command;
  const capability = defineCapability({ category: 'try', commands: { 'try.it': command } });
  const exchange = new HandExchange();
  const nothing = (): undefined => undefined;
  runCommand(
    { name: 'try.it', capability, command },
    {
      method: 'tools/call',
      name: 'try.it',
      params: readMembers(jsonBytes({ name: 'try.it', arguments: args })),
      meta: [],
      era: 'legacy',
      caller: { id: 'me', name: 'me', scopes: {} },
      client: STRANGER,
    },
    exchange,
    {
      log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
      ending: new AbortController().signal,
      underway: new Set(),
    },
  );
  for (let turn = 0; turn < 50 && exchange.outcomes.length === 0; turn++)
    await new Promise((resolve) => setImmediate(resolve));
  return JSON.stringify(exchange.outcomes);
}

it.each([
  ['nothing', returning(undefined)],
  ['null', returning(null)],
  ['a circle', returning(ring)],
  ['a value that JSON cannot represent', returning({ a: 1n })],
  ['a function', returning({ a: () => 1 })],
  ['invalid media', { media: () => [{ type: 'image' }] }],
  [
    'media that fail',
    {
      media() {
        throw new Error('/a/path');
      },
    },
  ],
])('a command that returns %s fails', async (_, command) => {
  const text = await textOf(command);
  expect(text).toContain('Internal error');
  expect(text).not.toContain('/a/path');
});

it('the error of an invalid argument names the argument', async () => {
  expect(await textOf({}, { level: 200 })).toContain('level: Too big');
});

it('an answer in the legacy era has no member of the modern era', async () => {
  expect(await textOf(returning(null))).not.toContain('resultType');
  expect(await textOf({}, { level: 200 })).not.toContain('resultType');
});
