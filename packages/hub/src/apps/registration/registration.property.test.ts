import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyObjectSchemaAndValue } from '../../../../../test/kit/any-schema.ts';
import { parseToolDefinition } from '../../core/catalog/tool-definition.ts';
import { PincerError } from '../../core/errors.ts';
import { toByteText } from '../../core/wire/byte-text.ts';
import { readRegistration, toToolDefinition } from './read-registration.ts';
import type { Registration } from '../directory/session-directory.ts';
import { atDepth } from '../../../../../test/kit/depth.ts';

/** The registration or its refusal. Throws any other error. */
function outcome(body: unknown): Registration | 'refused' {
  try {
    return readRegistration(body);
  } catch (error) {
    if (!PincerError.is(error)) throw error;
    expect(error.code).toBe('ARGUMENT_INVALID');
    expect(error.message).not.toMatch(/[\n\r]/);
    expect(error.hint).toBeTruthy();
    return 'refused';
  }
}

function expectListable(registration: Registration): void {
  for (const tool of registration.tools) {
    const raw = toToolDefinition(tool);
    for (const era of ['legacy', 'modern'] as const)
      expect(parseToolDefinition(raw, era)).toMatchObject({ name: tool.name, raw });
  }
}

const KEYWORDS =
  'type properties required items anyOf allOf enum const pattern $ref $defs patternProperties additionalProperties minimum maxLength dependencies __proto__ x';
const keyword = fc.constantFrom(...KEYWORDS.split(' '));
const { schemaLike } = fc.letrec((tie) => ({
  schemaLike: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom<unknown>(
      'object',
      'string',
      '#',
      '#/$defs/x',
      'http://x',
      '^(a+)+$',
      true,
      null,
      3,
      [],
      {},
    ),
    fc.array(tie('schemaLike'), { maxLength: 3 }),
    fc
      .array(fc.tuple(keyword, tie('schemaLike')), { maxLength: 5 })
      .map((entries) => Object.fromEntries(entries)),
  ),
}));
/** Mostly valid, or too few would be accepted. */
const mostly = <T, U>(usual: fc.Arbitrary<T>, rare: fc.Arbitrary<U>): fc.Arbitrary<T | U> =>
  fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: rare });
const schema = anyObjectSchemaAndValue.map((pair) => pair.schema);
const toolLike = fc.record(
  {
    name: mostly(fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/), fc.oneof(fc.string(), fc.integer())),
    path: mostly(fc.string({ unit: 'binary' }), fc.integer()),
    title: fc.option(fc.string()),
    description: mostly(fc.string({ unit: 'binary' }), fc.jsonValue()),
    input_schema: fc.oneof({ weight: 3, arbitrary: schema }, schemaLike, fc.jsonValue()),
    output_schema: mostly(schema, schemaLike),
    annotations: fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.constant({ readOnlyHint: true })),
  },
  { requiredKeys: ['name'] },
);

describe('any registration', () => {
  it('is read or refused as text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.json().map(toByteText)), (text) => {
        outcome(text);
        outcome(`{"tools":[${text}]}`);
        outcome(`{"tools":[{"name":"a","input_schema":${text}}]}`);
      }),
      { numRuns: atDepth(200, 1_000) },
    );
  });

  it('is read or refused as a value', () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withNullPrototype: true, withMap: true }), (value) => {
        outcome(value);
        outcome({ tools: [value] });
        outcome({ tools: [{ name: 'a', input_schema: value, annotations: value }] });
      }),
      { numRuns: atDepth(200, 1_000) },
    );
  });

  it('can be listed if it is accepted', () => {
    let accepted = 0;
    fc.assert(
      fc.property(fc.array(toolLike, { maxLength: 3 }), (tools) => {
        const read = outcome(toByteText(JSON.stringify({ tools })));
        if (read === 'refused') return;
        accepted += read.tools.length;
        expect(read.tools).toHaveLength(tools.length);
        expectListable(read);
      }),
      { numRuns: atDepth(200, 2_000) },
    );
    // Otherwise the test proves nothing.
    expect(accepted).toBeGreaterThan(50);
  });

  it('is read in time even if it is made to be slow', () => {
    const slow = [
      `{"tools":[{"name":"a","input_schema":${'{"not":'.repeat(100_000)}{}${'}'.repeat(100_000)}}]}`,
      `{"tools":[${'{"name":"a"},'.repeat(100_000)}{"name":"b"}]}`,
      `{"tools":[{"name":"${'a'.repeat(1_000_000)}"}]}`,
      `{"tools":[{"name":"a","description":"${'\\\\'.repeat(900_000)}"}]}`,
      JSON.stringify({
        tools: [{ name: 'a', input_schema: { enum: Array.from({ length: 30_000 }, () => 1) } }],
      }),
    ];
    for (const body of slow) expect(outcome(body)).toBe('refused');
  });
});
