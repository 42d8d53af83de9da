import { describe, expect, it } from 'vitest';
import { PincerError } from '../../core/errors.ts';
import { jsonBytes, toByteText } from '../../core/wire/byte-text.ts';
import { DEFAULT_LIMITS } from '../../core/limits.ts';
import { readSchema, type RegistrationLimits } from './read-schema.ts';

function read(schema: unknown, limits: Partial<RegistrationLimits> = {}): string {
  const raw = typeof schema === 'string' ? toByteText(schema) : jsonBytes(schema);
  try {
    return readSchema(raw, 's', { ...DEFAULT_LIMITS, ...limits });
  } catch (error) {
    if (!PincerError.is(error)) throw error;
    expect(error.code).toBe('ARGUMENT_INVALID');
    expect(error.hint).toBeTruthy();
    return error.message;
  }
}
const accepted = (schema: unknown, limits: Partial<RegistrationLimits> = {}): boolean =>
  read(schema, limits).startsWith('{');
const of = (property: unknown, more: object = {}): object => ({
  type: 'object',
  properties: { p: property },
  ...more,
});

describe('schema of a tool', () => {
  it('keeps its bytes', () => {
    const text =
      '{ "type":"object", "properties":{ "n":{ "maximum":1e400, "const":12345678901234567890 } } }';
    expect(read(text)).toBe(text);
  });

  it('is written on one line', () => {
    expect(read('{\n"type":"object"\r\n}')).toBe('{ "type":"object" }');
  });

  it.each([
    ['{}', '{"type":"object"}'],
    ['{ \n }', '{"type":"object"}'],
    ['{ "properties":{} }', '{"type":"object","properties":{} }'],
  ])('gets the type object if it has none: %s', (text, expected) => {
    expect(read(text)).toBe(expected);
    expect(JSON.parse(read(text))).toMatchObject({ type: 'object' });
  });

  it.each<[schema: unknown]>([
    [of({ $ref: '#/$defs/A' }, { $defs: { A: { type: 'string' } } })],
    [of({ $ref: '#' })],
    [of({ $ref: '#/$defs/a~1b%20c' }, { $defs: { 'a/b c': true } })],
    [of({ type: ['string', 'null'], enum: ['a', null], default: { $ref: 'https://example.com' } })],
    [of({ items: [{ type: 'string' }, true], additionalItems: false })],
    [of({ minimum: 0, exclusiveMinimum: true })],
    [of({ pattern: '^(a+)+$' }, { patternProperties: { '^x(': { type: 'string' } } })],
    [of({ dependencies: { a: ['b'], c: { type: 'object' } } })],
    [of({ const: { pattern: 5, $ref: 7 } })],
    [{ $schema: 'https://json-schema.org/draft/2020-12/schema', $id: 'https://example.com/x' }],
    [{ properties: { $ref: { type: 'string' }, pattern: {}, type: {}, constructor: {}, prototype: {} } }],
    [{ 'x-ours': [1, { type: 5 }] }],
  ])('may be %j', (schema) => expect(accepted(schema)).toBe(true));

  it.each<[schema: unknown, message: string]>([
    [true, 's: must be a JSON object.'],
    [[], 's: must be a JSON object.'],
    [5, 's: must be a JSON object.'],
    [{ type: 'string' }, 's.type: must be "object".'],
    [{ type: ['object', 'null'] }, 's.type: must be "object".'],
    [
      of({ type: 'text' }),
      's.properties.p.type: must be one of string, number, integer, boolean, array, object, null, or a list of them.',
    ],
    [of('string'), 's.properties.p: must be a JSON object, true or false.'],
    [of(null), 's.properties.p: must be a JSON object, true or false.'],
    [{ properties: [] }, 's.properties: must be a JSON object of schemas.'],
    [{ required: true }, 's.required: must be a JSON array of strings.'],
    [{ required: [1] }, 's.required: must be a JSON array of strings.'],
    [of({ enum: 'a' }), 's.properties.p.enum: must be a JSON array.'],
    [of({ anyOf: {} }), 's.properties.p.anyOf: must be a JSON array of schemas.'],
    [of({ oneOf: [{}, 1] }), 's.properties.p.oneOf[1]: must be a JSON object, true or false.'],
    [of({ items: 'x' }), 's.properties.p.items: must be a JSON object, true or false.'],
    [of({ minLength: -1 }), 's.properties.p.minLength: must be a whole number, at least 0.'],
    [of({ maxItems: 1.5 }), 's.properties.p.maxItems: must be a whole number, at least 0.'],
    [of({ minimum: '0' }), 's.properties.p.minimum: must be a number.'],
    [of({ description: {} }), 's.properties.p.description: must be a string.'],
    [of({ pattern: 5 }), 's.properties.p.pattern: must be a string.'],
    [
      of({ additionalProperties: 'no' }),
      's.properties.p.additionalProperties: must be a JSON object, true or false.',
    ],
    [
      of({ dependencies: { a: [1] } }),
      's.properties.p.dependencies.a: must be a JSON object, true or false.',
    ],
    [of({ $ref: 5 }), 's.properties.p.$ref: must be a string.'],
    [of({ $ref: '#/$defs/A' }), 's.properties.p.$ref: points to "#/$defs/A", where there is no schema.'],
    [of({ $ref: '#/type' }), 's.properties.p.$ref: points to "#/type", where there is no schema.'],
    [
      of({ $ref: '#/constructor' }),
      's.properties.p.$ref: points to "#/constructor", where there is no schema.',
    ],
    [of({ $ref: '#/%' }), 's.properties.p.$ref: points to "#/%", where there is no schema.'],
  ])('may not be %j', (schema, message) => expect(read(schema)).toBe(message));

  it.each(['https://example.com/x', 'file:///etc/passwd', 'other.json#/a', '', '#anchor', '//h/x'])(
    'may not point to %j',
    (ref) => {
      for (const keyword of ['$ref', '$dynamicRef', '$recursiveRef'])
        expect(read(of({ not: { [keyword]: ref } }))).toBe(
          `s.properties.p.not.${keyword}: points to "${ref}", which is outside of the schema or an anchor.`,
        );
    },
  );

  it.each([
    ['{"properties":{"__proto__":{}}}', 's.properties.__proto__: is not a valid name.'],
    ['{"default":[{"\\u005f_proto__":1}]}', 's.default[0].__proto__: is not a valid name.'],
    ['{"properties":{"a":{},"\\u0061":{}}}', 's.properties.a: occurs twice.'],
    ['{"type":"object","type":"object"}', 's.type: occurs twice.'],
  ])('has no ambiguous name: %s', (text, message) => expect(read(text)).toBe(message));

  it('is named on one line in messages, for any names', () => {
    const message = read({ properties: { [`a\n\u202e${'x'.repeat(100)}`]: 1 } });
    expect(message).toMatch(/^s\.properties\.a\\u000a\\u202ex+…: must be a JSON object, true or false\.$/);
  });
});

describe('limits of a schema', () => {
  const nested = (levels: number): string => `{"default":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
  it.each<[limit: keyof RegistrationLimits, schema: (size: number) => unknown, message: string]>([
    ['maxSchemaBytes', (n) => `{"title":"${'x'.repeat(n - 12)}"}`, 's: has more than 20 bytes.'],
    ['maxSchemaBytes', (n) => `{"title":"é${'x'.repeat(n - 14)}"}`, 's: has more than 20 bytes.'],
    ['maxSchemaDepth', nested, 's: has more than 20 levels.'],
    // The schema itself, the list, and its elements.
    [
      'maxSchemaNodes',
      (n) => ({ enum: Array.from({ length: n - 2 }, () => 1) }),
      's: has more than 20 values.',
    ],
    [
      'maxSchemaNameChars',
      (n) => ({ properties: { ['x'.repeat(n)]: {} } }),
      `s.properties.${'x'.repeat(21)}: has more than 20 characters in its name.`,
    ],
    [
      'maxPatternChars',
      (n) => of({ pattern: 'x'.repeat(n) }),
      's.properties.p.pattern: has more than 20 characters.',
    ],
    [
      'maxPatternChars',
      (n) => ({ patternProperties: { ['x'.repeat(n)]: {} } }),
      `s.patternProperties.${'x'.repeat(21)}: has more than 20 characters.`,
    ],
  ])('%s holds exactly (%#)', (limit, schema, message) => {
    expect(accepted(schema(19), { [limit]: 20 })).toBe(true);
    expect(accepted(schema(20), { [limit]: 20 })).toBe(true);
    expect(read(schema(21), { [limit]: 20 })).toBe(message);
  });

  it('allow the schemas of real tools', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 200 }, (_, at) => [
        `field_${at}`,
        { type: 'string', description: 'x'.repeat(80) },
      ]),
    );
    expect(accepted({ type: 'object', properties })).toBe(true);
  });
});
