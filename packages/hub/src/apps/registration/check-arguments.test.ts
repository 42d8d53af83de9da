import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyObjectSchemaAndValue } from '../../../../../test/kit/any-schema.ts';
import { jsonBytes, type ByteText } from '../../core/wire/byte-text.ts';
import { createArgumentCheck, type Fault } from './check-arguments.ts';
import { readRegistration } from './read-registration.ts';
import { atDepth } from '../../../../../test/kit/depth.ts';

function check(input_schema: object, args: ByteText): Fault | undefined {
  const [tool] = readRegistration({ tools: [{ name: 'paint', input_schema }] }).tools;
  return createArgumentCheck(tool!)(args);
}

const SCHEMA = {
  type: 'object',
  properties: {
    text: { type: 'string', maxLength: 3 },
    size: { type: 'integer', minimum: 1, maximum: 9 },
    color: { enum: ['red', 'green'] },
    kind: { const: 'flat' },
    filter: {
      type: 'object',
      properties: { tags: { type: 'array', items: { $ref: '#/$defs/Tag' }, minItems: 1 } },
      required: ['tags'],
    },
  },
  required: ['text'],
  additionalProperties: false,
  $defs: { Tag: { type: 'string' } },
};

describe('arguments', () => {
  it.each([
    [{ text: 'abc' }],
    [{ text: 'äöü', size: 9, color: 'red', kind: 'flat', filter: { tags: ['a'], more: 1 } }],
  ])('%j fit', (args) => expect(check(SCHEMA, jsonBytes(args))).toBeUndefined());

  it.each<[args: unknown, path: string, message: string]>([
    [{}, 'text', 'Argument "text" is missing.'],
    [{ text: 5 }, 'text', 'Argument "text" must be a string, not an integer.'],
    [{ text: 'abcd' }, 'text', 'Argument "text" must have at most 3 characters.'],
    [{ text: '', size: 0 }, 'size', 'Argument "size" must be at least 1.'],
    [{ text: '', size: 10 }, 'size', 'Argument "size" must be at most 9.'],
    [{ text: '', size: 1.5 }, 'size', 'Argument "size" must be an integer, not a number.'],
    [{ text: '', color: 'blue' }, 'color', 'Argument "color" must be one of red, green.'],
    [{ text: '', kind: 'round' }, 'kind', 'Argument "kind" must be one of flat.'],
    [{ text: '', filter: {} }, 'filter.tags', 'Argument "filter.tags" is missing.'],
    [{ text: '', filter: { tags: [] } }, 'filter.tags', 'Argument "filter.tags" must have at least 1 item.'],
    [
      { text: '', filter: { tags: ['a', null] } },
      'filter.tags[1]',
      'Argument "filter.tags[1]" must be a string, not null.',
    ],
    [
      { size: 0, text: 1 },
      'size',
      'Argument "size" must be at least 1; Argument "text" must be a string, not an integer.',
    ],
    [[], '', 'The value must be a JSON object.'],
    [null, '', 'The value must be a JSON object.'],
  ])('%j do not fit', (args, path, message) => {
    const fault = check(SCHEMA, jsonBytes(args));
    expect(fault).toMatchObject({ path, message });
    expect(fault!.hint).toMatch(/^Nothing was sent to the app\./);
  });

  it('do not fit if they are not JSON', () => {
    for (const args of ['', '{', '{"text":"\u00ff"}'])
      expect(check({}, args)?.message).toBe('The value must be a JSON object.');
  });

  it('get a suggestion for a misspelled name', () => {
    expect(check(SCHEMA, '{"text":"","colour":"red"}')).toMatchObject({
      path: 'colour',
      hint: 'Nothing was sent to the app. Did you mean color?',
    });
  });

  it('get one short line for many errors', () => {
    const long = `\n${'x'.repeat(100_000)}`;
    const args = Object.fromEntries([long, 'b', 'c', 'd', 'e', 'f'].map((key) => [key, 1]));
    const message = check({ additionalProperties: { type: 'string' } }, jsonBytes(args))!.message;
    expect(message).toMatch(/; 2 more errors\.$/);
    expect(message).not.toContain('\n');
    expect(message.length).toBeLessThan(3_000);
  });

  it('are checked against every keyword, also combined ones', () => {
    const schema = {
      properties: { kind: { enum: ['file', 'url'] }, count: { multipleOf: 5 } },
      if: { properties: { kind: { const: 'file' } }, required: ['kind'] },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      then: { required: ['path'] },
      dependentRequired: { count: ['kind'] },
      propertyNames: { pattern: '^[a-z]+$' },
      unevaluatedProperties: { type: 'string' },
    };
    const messageOf = (args: object): string | undefined => check(schema, jsonBytes(args))?.message;
    expect(messageOf({ kind: 'url', count: 10, url: 'x' })).toBeUndefined();
    expect(messageOf({ kind: 'file' })).toBe('Argument "path" is missing.');
    expect(messageOf({ count: 10 })).toBe('Argument "kind" is missing: "count" needs it.');
    expect(messageOf({ kind: 'url', count: 7 })).toBe('Argument "count" must be a multiple of 5.');
    expect(messageOf({ more: 1 })).toBe('Argument "more" must be a string, not an integer.');
    expect(messageOf({ Kind: 'x' })).toBe(
      'Argument "Kind" is not allowed as a name: it must match the pattern ^[a-z]+$.',
    );
  });

  it('are matched against patterns in linear time, and formats are not checked', () => {
    const schema = { properties: { a: { type: 'string', pattern: '^(a+)+$', format: 'email' } } };
    expect(check(schema, jsonBytes({ a: 'a'.repeat(5_000) }))).toBeUndefined();
    expect(check(schema, jsonBytes({ a: `${'a'.repeat(5_000)}!` }))?.message).toBe(
      'Argument "a" must match the pattern ^(a+)+$.',
    );
  });

  it('pass a pattern that cannot be matched in linear time', () => {
    for (const pattern of ['^(?=a)b', String.raw`(a)\1`, '(', 'x'.repeat(512)])
      expect(check({ properties: { a: { pattern } } }, '{"a":"!"}')).toEqual(
        pattern.startsWith('xx') ? expect.objectContaining({ path: 'a' }) : undefined,
      );
  });

  it('may have a member named __proto__', () => {
    expect(check({ additionalProperties: false }, '{"__proto__":{}}')?.path).toBe('__proto__');
    expect(check({ required: ['toString'] }, '{}')?.message).toBe('Argument "toString" is missing.');
  });

  it('are checked in time even against a slow schema', () => {
    const way = { properties: { a: { $ref: '#' } } };
    const schema = { anyOf: [way, { ...way }, { ...way }] };
    const nested = (depth: number, inner: string): string =>
      `${'{"a":'.repeat(depth)}${inner}${'}'.repeat(depth)}`;
    expect(check(schema, nested(60, '{}'))).toBeUndefined();
    expect(check(schema, nested(60, '1'))?.path).toBe('');
    // Too deep to be checked completely.
    expect(check(schema, nested(100_000, '1'))).toBeUndefined();
  });

  it('generated from a schema fit it', () => {
    fc.assert(
      fc.property(anyObjectSchemaAndValue, ({ schema, value }) => {
        expect(check(schema, jsonBytes(value))).toBeUndefined();
      }),
      { numRuns: atDepth(200, 1_000) },
    );
  });

  it('checked against another schema never throw', () => {
    let faults = 0;
    fc.assert(
      fc.property(anyObjectSchemaAndValue, anyObjectSchemaAndValue, ({ schema }, { value }) => {
        if (check(schema, jsonBytes(value)) !== undefined) faults++;
      }),
      { numRuns: atDepth(200, 1_000) },
    );
    expect(faults).toBeGreaterThan(100);
  });
});
