import { describe, expect, it } from 'vitest';
import { checkValue } from './check-value.ts';

const issues = (value: unknown, schema: object): string[] =>
  checkValue(value, schema, schema as Record<string, unknown>).map(({ path, message, meant }) =>
    [`${path}: ${message}`, ...(meant === undefined ? [] : [meant])].join(' → '),
  );
const object = (properties: object, more: object = {}): object => ({ type: 'object', properties, ...more });

describe('checkValue', () => {
  it.each<[value: unknown, schema: object]>([
    [{}, {}],
    [{ a: 1 }, object({})],
    [
      { a: 1.5, b: 1, c: null },
      object({ a: { type: 'number' }, b: { type: 'number' }, c: { type: ['null', 'string'] } }),
    ],
    [{ a: 1 }, object({ a: { type: 'integer', minimum: 1, maximum: 1 } })],
    [{ a: null }, object({ a: { type: 'string', nullable: true } })],
    [{ a: 'x', b: 2 }, object({}, { additionalProperties: { type: ['string', 'number'] } })],
    [{ x1: 1 }, object({}, { patternProperties: { '^x': {} }, additionalProperties: false })],
    [{ a: ['x', 1] }, object({ a: { prefixItems: [{ type: 'string' }], items: { type: 'number' } } })],
    [
      { a: { b: 'x' } },
      object({ a: { $ref: '#/$defs/B' } }, { $defs: { B: object({ b: { type: 'string' } }) } }),
    ],
    [{ a: 1 }, object({ a: { oneOf: [{ type: 'integer' }, { type: 'number' }] } })],
    [{ a: 1 }, object({ a: { $ref: 'https://example.com/schema' } })],
    [{ a: 'é' }, object({ a: { type: 'string', maxLength: 1 } })],
    [{ a: 'x' }, object({ a: true })],
    [{ a: 1 }, object({ a: { type: 'string' } }, { properties: null })],
  ])('lets %j pass', (value, schema) => expect(issues(value, schema)).toEqual([]));

  it.each<[value: unknown, schema: object, expected: string[]]>([
    [{ a: 'x' }, object({ a: { type: 'number' } }), ['a: must be a number, not a string']],
    [{ a: 1.5 }, object({ a: { type: 'integer' } }), ['a: must be an integer, not a number']],
    [
      { a: {} },
      object({ a: { type: ['array', 'null'] } }),
      ['a: must be a JSON array or null, not a JSON object'],
    ],
    [{}, object({}, { required: ['a', 'b'] }), ['a: is missing', 'b: is missing']],
    [{ a: {} }, object({ a: object({}, { required: ['b'] }) }), ['a.b: is missing']],
    [
      { tagz: 1, z: 1 },
      object({ tags: {} }, { additionalProperties: false }),
      ['tagz: is not taken; there is tags → tags', 'z: is not taken; there is tags'],
    ],
    [{ a: 1 }, object({}, { additionalProperties: false }), ['a: is not taken; nothing is taken there']],
    [{ a: 'fats' }, object({ a: { enum: ['fast', 'slow', 1] } }), ['a: must be one of fast, slow, 1 → fast']],
    [
      { a: [1, 'x'] },
      object({ a: { type: 'array', items: { type: 'number' } } }),
      ['a[1]: must be a number, not a string'],
    ],
    [{ a: [] }, object({ a: { type: 'array', minItems: 1 } }), ['a: must have at least 1 item']],
    [{ a: 'xyz' }, object({ a: { type: 'string', maxLength: 2 } }), ['a: must have at most 2 characters']],
    [
      { a: 0, b: 9 },
      object({ a: { minimum: 1 }, b: { exclusiveMaximum: 9 } }),
      ['a: must be at least 1', 'b: must be below 9'],
    ],
    [
      { a: true },
      object({ a: { anyOf: [{ type: 'string' }, { type: 'number' }] } }),
      ['a: fits none of the forms that it may have'],
    ],
    [
      { a: { b: 1 } },
      object({ a: { anyOf: [{ type: 'null' }, object({ b: { type: 'string' } })] } }),
      ['a.b: must be a string, not an integer'],
    ],
    [{ a: 1 }, object({ a: { allOf: [{ type: 'number' }, { minimum: 2 }] } }), ['a: must be at least 2']],
    [{ a: 1 }, object({ a: false }), ['a: is not taken']],
    [{ __proto__: 1 }, object({}, { additionalProperties: false }), []],
  ])('says of %j what is wrong', (value, schema, expected) =>
    expect(issues(value, schema)).toEqual(expected),
  );

  it('is not led in circles', () => {
    const schema = { $ref: '#', anyOf: [{ $ref: '#' }] };
    expect(issues({ a: 1 }, schema)).toEqual([]);
    const tree = object({ next: { $ref: '#' }, n: { type: 'number' } });
    expect(issues({ next: { next: { n: 'x' } } }, tree)).toEqual([
      'next.next.n: must be a number, not a string',
    ]);
  });
});

describe('a schema that is made to be slow', () => {
  const nested = (depth: number, innermost: unknown): unknown => {
    let value = innermost;
    for (let at = 0; at < depth; at++) value = { a: value };
    return value;
  };

  it('with many ways to each place is not followed on all of them', () => {
    const way = object({ a: { $ref: '#' } });
    expect(issues(nested(60, 1), { anyOf: [way, { ...way }, { ...way }] })).toEqual([]);
  });

  it('that refers to itself is not followed as deep as a value goes', () => {
    expect(issues(nested(100_000, 1), object({ a: { $ref: '#' } }))).toEqual([]);
    expect(issues(nested(40, 1), object({ a: { $ref: '#' } }))).toEqual([
      `${Array.from({ length: 40 }, () => 'a').join('.')}: must be a JSON object, not an integer`,
    ]);
  });

  it('with a long chain of references is not followed to its end', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 4_000 }, (_, at) => [`d${at}`, { $ref: `#/$defs/d${at + 1}` }]),
    );
    expect(issues({ a: 1 }, object({ a: { $ref: '#/$defs/d0' } }, { $defs }))).toEqual([]);
  });

  it('with long lists does not make longer messages', () => {
    const names = Array.from({ length: 4_000 }, (_, at) => `name_${at}`);
    const schema = object(Object.fromEntries(names.map((name) => [name, { enum: names }])), {
      additionalProperties: false,
      required: names,
    });
    const value = Object.fromEntries(names.map((name) => [`${name}x`, 'y'.repeat(1_000)]));
    const texts = issues(value, schema);
    expect(texts).toContain('name_0: is missing');
    expect(Math.max(...texts.map((text) => text.length))).toBeLessThan(2_000);
  });

  it('with long words does not have them compared', () => {
    const long = 'x'.repeat(100_000);
    expect(issues({ a: `${long}y` }, object({ a: { enum: [`${long}z`] } }))).toEqual([
      `a: must be one of ${'x'.repeat(100)}…`,
    ]);
  });

  it('is followed for as many steps as it is given', () => {
    const schema = object({ a: { type: 'array', items: { type: 'string' } } });
    const root = schema as Record<string, unknown>;
    expect(checkValue({ a: [1, 2, 3, 4] }, root, root, 4)).toHaveLength(2);
  });
});

describe('equal values', () => {
  it.each<[value: unknown, choice: unknown]>([
    [
      { a: 1, b: [2] },
      { b: [2], a: 1 },
    ],
    [null, null],
    [1, 1.0],
  ])('%j is %j', (value, choice) => expect(issues(value, { const: choice })).toEqual([]));

  it.each<[value: unknown, choice: unknown]>([
    [{ a: 1 }, { a: 1, b: 1 }],
    [{ a: undefined }, { toString: 1 }],
    [[1, 2], [1]],
    [{}, []],
    ['1', 1],
    [null, {}],
  ])('%j is not %j', (value, choice) => expect(issues(value, { const: choice })).toHaveLength(1));
});
