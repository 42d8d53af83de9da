import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { tool, type FromJsonSchema, type ToolCall } from './index.ts';
import { toolSetOf } from './tool-set.ts';

const CALL: ToolCall = { signal: new AbortController().signal, requestId: 'r', progress: () => {} };

describe('types of arguments', () => {
  it('follow from a literal schema', () => {
    tool({
      description: 'Books a table.',
      input: {
        type: 'object',
        properties: {
          name: { type: 'string', description: 'Of the guest.' },
          seats: { type: 'integer', minimum: 1 },
          room: { enum: ['hall', 'garden'] },
          kind: { const: 'dinner' },
          wishes: { type: 'array', items: { type: 'string' } },
          at: { type: 'object', properties: { hour: { type: 'number' } }, required: ['hour'] },
          note: { type: ['string', 'null'] },
          isSure: { type: 'boolean' },
          odd: { oneOf: [{ type: 'string' }] },
        },
        required: ['name', 'seats', 'kind', 'odd'],
      },
      run(args) {
        expectTypeOf(args).toEqualTypeOf<{
          name: string;
          seats: number;
          kind: 'dinner';
          odd: unknown;
          room?: 'hall' | 'garden';
          wishes?: string[];
          at?: { hour: number };
          note?: string | null;
          isSure?: boolean;
        }>();
      },
    });
    expectTypeOf<FromJsonSchema<{ type: 'array' }>>().toEqualTypeOf<unknown[]>();
    expectTypeOf<FromJsonSchema<true>>().toEqualTypeOf<unknown>();
  });

  it('follow from the output of a library schema', () => {
    tool({
      description: 'Adds.',
      input: z.object({ a: z.number(), b: z.number().default(1) }),
      output: z.object({ sum: z.number() }),
      run(args) {
        expectTypeOf(args).toEqualTypeOf<{ a: number; b: number }>();
        return { sum: args.a + args.b };
      },
    });
    tool({
      description: 'Adds.',
      input: { type: 'object' },
      output: z.object({ sum: z.number() }),
      // @ts-expect-error -- the sum is a number
      run: () => ({ sum: 'many' }),
    });
  });

  it('are any object without a schema', () => {
    tool({
      description: 'Takes all.',
      run(args, call) {
        expectTypeOf(args).toEqualTypeOf<Record<string, unknown>>();
        expectTypeOf(call).toEqualTypeOf<ToolCall>();
      },
    });
    const schema: { type: string } = { type: 'object' };
    tool({ description: '', input: schema, run: (args) => expectTypeOf(args).toBeUnknown() });
  });
});

describe('library schema', () => {
  const add = tool({
    description: 'Adds.',
    input: z.object({ a: z.number(), b: z.number().default(1) }),
    output: z.object({ sum: z.number() }),
    run: ({ a, b }) => ({ sum: a + b }),
  });

  it('is registered as JSON Schema', () => {
    expect(toolSetOf({ add }).registered[0]).toMatchObject({
      name: 'add',
      input_schema: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
      output_schema: { type: 'object', required: ['sum'] },
    });
  });

  it('fills in defaults, and names the errors', async () => {
    const tools = toolSetOf({ add });
    expect(await tools.run('add', { a: 2 }, CALL)).toEqual({ sum: 3 });
    await expect(tools.run('add', { a: 'two' }, CALL)).rejects.toThrow(/^The arguments do not fit: a: /);
  });

  it('is refused by name if it cannot be written as JSON Schema', () => {
    const odd = tool({ description: '', input: z.object({ big: z.bigint() }), run: () => 1 });
    expect(() => toolSetOf({ odd })).toThrow('The input schema of "odd" cannot be written as JSON Schema');
    const old = { '~standard': { version: 1, vendor: 'old', validate: () => ({ value: 1 }) } };
    expect(() => toolSetOf({ odd: { description: '', input: old, run: () => 1 } })).toThrow(
      'The input schema of "odd" (old) cannot be written as JSON Schema.',
    );
  });
});
