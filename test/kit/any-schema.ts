import fc from 'fast-check';

/** A JSON Schema and a value that is valid against it. */
export interface SchemaAndValue {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly value: unknown;
}

const name = fc.string({ minLength: 1, maxLength: 6 }).filter((text) => text !== '__proto__');

const number = (type: 'integer' | 'number', values: fc.Arbitrary<number>): fc.Arbitrary<SchemaAndValue> =>
  fc.record({ value: values, below: fc.nat(5), above: fc.nat(5) }).map(({ value, below, above }) => ({
    schema: { type, minimum: value - below, maximum: value + above },
    value,
  }));

const text: fc.Arbitrary<SchemaAndValue> = fc.string({ unit: 'grapheme' }).map((value) => {
  const length = Array.from(value).length;
  return { schema: { type: 'string', minLength: Math.max(0, length - 1), maxLength: length }, value };
});

const choice: fc.Arbitrary<SchemaAndValue> = fc
  .tuple(fc.array(fc.jsonValue({ maxDepth: 0 })), fc.oneof(fc.string(), fc.integer(), fc.constant(null)))
  .map(([others, value]) => ({ schema: { enum: [...others, value] }, value }));

const constant: fc.Arbitrary<SchemaAndValue> = fc
  .oneof(fc.string(), fc.integer(), fc.boolean())
  .map((value) => ({ schema: { const: value }, value }));

const { object } = fc.letrec<{ any: SchemaAndValue; object: SchemaAndValue }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    number('integer', fc.integer({ min: -1_000, max: 1_000 })),
    number(
      'number',
      fc.integer({ min: -1_000, max: 1_000 }).map((half) => half / 2),
    ),
    text,
    choice,
    constant,
    fc.boolean().map((value) => ({ schema: { type: ['boolean', 'null'] }, value })),
    fc.jsonValue({ maxDepth: 2 }).map((value) => ({ schema: {}, value })),
    fc.array(tie('any'), { maxLength: 3 }).map((items) => ({
      schema: {
        type: 'array',
        prefixItems: items.map(({ schema }) => schema),
        items: false,
        maxItems: items.length,
      },
      value: items.map(({ value }) => value),
    })),
    fc.tuple(tie('any'), tie('any')).map(([fits, other]) => ({
      schema: { anyOf: [other.schema, fits.schema] },
      value: fits.value,
    })),
    tie('object'),
  ),
  object: fc
    .tuple(fc.dictionary(name, tie('any'), { maxKeys: 4, noNullPrototype: true }), fc.boolean())
    .map(([members, isClosed]) => ({
      schema: {
        type: 'object',
        properties: mapValues(members, ({ schema }) => schema),
        required: Object.keys(members),
        ...(isClosed ? { additionalProperties: false } : {}),
      },
      value: mapValues(members, ({ value }) => value),
    })),
}));

const mapValues = <T, U>(members: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(members).map(([key, value]) => [key, change(value)]));

/** A schema of type object, like the input schema of a tool. */
export const anyObjectSchemaAndValue: fc.Arbitrary<SchemaAndValue> = object;
