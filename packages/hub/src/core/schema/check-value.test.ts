import { describe, expect, it } from 'vitest';
import { createValueCheck } from './check-value.ts';

const issues = (value: unknown, schema: object): string[] =>
  createValueCheck(schema as Record<string, unknown>)(value).map(({ path, message, meant }) =>
    [`${path}: ${message}`, ...(meant === undefined ? [] : [meant])].join(' → '),
  );
// oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
const thenOf = (schema: object): object => ({ then: schema });
const object = (properties: object, more: object = {}): object => ({ type: 'object', properties, ...more });

describe('a check of a value', () => {
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
    [{ a: 1.5 }, object({ a: { oneOf: [{ type: 'integer' }, { type: 'number' }] } })],
    [{ a: 1 }, object({ a: { $ref: 'https://example.com/schema' } })],
    [{ a: 'é' }, object({ a: { type: 'string', maxLength: 1 } })],
    [{ a: 'x' }, object({ a: true })],
    [{ a: 'x' }, object({ a: { format: 'email', contentEncoding: 'base64', 'x-ours': { type: 5 } } })],
    [{ a: 1 }, object({ a: { $ref: '#anchor' } })],
    [{ a: 0.0075 }, object({ a: { multipleOf: 0.0001 } })],
    [{ a: 1 }, object({ a: { type: 'string' } }, { properties: null })],
  ])('accepts %j', (value, schema) => expect(issues(value, schema)).toEqual([]));

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
      ['tagz: is not allowed; allowed: tags → tags', 'z: is not allowed; allowed: tags'],
    ],
    [
      { a: 1 },
      object({}, { additionalProperties: false }),
      ['a: is not allowed; no members are allowed there'],
    ],
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
      ['a: matches none of the allowed forms'],
    ],
    [
      { a: { b: 1 } },
      object({ a: { anyOf: [{ type: 'null' }, object({ b: { type: 'string' } })] } }),
      ['a.b: must be a string, not an integer'],
    ],
    [{ a: 1 }, object({ a: { allOf: [{ type: 'number' }, { minimum: 2 }] } }), ['a: must be at least 2']],
    [{ a: 1 }, object({ a: false }), ['a: is not allowed']],
    [
      { a: 1 },
      object({ a: { oneOf: [{ type: 'integer' }, { type: 'number' }] } }),
      ['a: matches more than one of the allowed forms'],
    ],
    [{ a: 5 }, object({ a: { multipleOf: 2 } }), ['a: must be a multiple of 2']],
    [{ a: 1 }, object({ a: { minimum: 1, exclusiveMinimum: true } }), ['a: must be above 1']],
    [{ a: 'Xy' }, object({ a: { pattern: '^[a-z]+$' } }), ['a: must match the pattern ^[a-z]+$']],
    [{ a: [1, { b: 1 }, 1] }, object({ a: { uniqueItems: true } }), ['a: must not have duplicate items']],
    [{ a: {} }, object({ a: { minProperties: 1 } }), ['a: must have at least 1 member']],
    [
      { x_a: 1, b: 1 },
      object({}, { patternProperties: { '^x_': { type: 'string' } }, additionalProperties: false }),
      ['x_a: must be a string, not an integer', 'b: is not allowed'],
    ],
    [
      { abc: 1 },
      object({}, { propertyNames: { maxLength: 2 } }),
      ['abc: is not allowed as a name: it must have at most 2 characters'],
    ],
    [
      { a: [1] },
      object({ a: { contains: { type: 'string' } } }),
      ['a: must contain at least 1 matching item'],
    ],
    [
      { a: [1, 2] },
      object({ a: { contains: { type: 'number' }, maxContains: 1 } }),
      ['a: must contain at most 1 matching item'],
    ],
    [{ a: 1 }, object({ a: { not: { type: 'integer' } } }), ['a: has a form that is not allowed']],
    [
      { kind: 'file' },
      object({}, { if: { properties: { kind: { const: 'file' } } }, ...thenOf({ required: ['path'] }) }),
      ['path: is missing'],
    ],
    [{ kind: 'url' }, object({}, { if: false, else: { required: ['url'] } }), ['url: is missing']],
    [{ a: 1 }, object({}, { dependentRequired: { a: ['b'] } }), ['b: is missing: "a" needs it']],
    [{ a: 1 }, object({}, { dependentSchemas: { a: { required: ['b'] } } }), ['b: is missing']],
    [{ a: 1 }, object({}, { dependencies: { a: ['b'], c: false } }), ['b: is missing: "a" needs it']],
    [
      { a: 1, b: 2, c: 3 },
      object({ a: {} }, { allOf: [{ properties: { b: {} } }], unevaluatedProperties: false }),
      ['c: is not allowed'],
    ],
    [
      { a: [1, 2] },
      object({ a: { prefixItems: [{}], unevaluatedItems: { type: 'string' } } }),
      ['a[1]: must be a string, not an integer'],
    ],
    [
      { a: 1 },
      object({ a: { $ref: '#/$defs/b%20c' } }, { $defs: { 'b c': { type: 'string' } } }),
      ['a: must be a string, not an integer'],
    ],
    [{ __proto__: 1 }, object({}, { additionalProperties: false }), []],
  ])('reports the issues of %j', (value, schema, expected) =>
    expect(issues(value, schema)).toEqual(expected),
  );

  it('handles circular references', () => {
    const schema = { $ref: '#', anyOf: [{ $ref: '#' }] };
    expect(issues({ a: 1 }, schema)).toEqual([]);
    const tree = object({ next: { $ref: '#' }, n: { type: 'number' } });
    expect(issues({ next: { next: { n: 'x' } } }, tree)).toEqual([
      'next.next.n: must be a number, not a string',
    ]);
  });
});

describe('a hostile schema', () => {
  const nested = (depth: number, innermost: unknown): unknown => {
    let value = innermost;
    for (let at = 0; at < depth; at++) value = { a: value };
    return value;
  };

  it('with many paths to each place stays fast', () => {
    const way = object({ a: { $ref: '#' } });
    expect(issues(nested(60, 1), { anyOf: [way, { ...way }, { ...way }] })).toEqual([
      ': matches none of the allowed forms',
    ]);
    expect(issues(nested(60, {}), { anyOf: [way, { ...way }, { ...way }] })).toEqual([]);
  });

  it('that refers to itself is limited in depth', () => {
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

  it('with doubling references is followed once each', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => {
        const next = { $ref: `#/$defs/d${at + 1}` };
        return [`d${at}`, at === 59 ? { type: 'integer' } : { allOf: [next, next] }];
      }),
    );
    const schema = object({ a: { $ref: '#/$defs/d0' } }, { $defs });
    expect(issues({ a: 1 }, schema)).toEqual([]);
    expect(issues({ a: 'x' }, schema)).toEqual(['a: must be an integer, not a string']);
  });

  it.each<[what: string, value: unknown, schema: object]>([
    [
      'many choices for each of many items',
      Array.from({ length: 5_000 }, () => ({ v: 'x' })),
      { items: { enum: Array.from({ length: 4_000 }, (_, at) => ({ v: at })) } },
    ],
    ['many items to compare', Array.from({ length: 100_000 }, (_, v) => ({ v })), { uniqueItems: true }],
    ['deep items to compare', [nested(10_000, 1), nested(10_000, 1)], { uniqueItems: true }],
    [
      'many names and patterns',
      Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`${'a'.repeat(200)}${at}`, 1])),
      {
        patternProperties: Object.fromEntries(
          Array.from({ length: 1_000 }, (_, at) => [`^(a+)+${at}$`, { type: 'number' }]),
        ),
      },
    ],
  ])('with %s ends in time', (_, value, schema) => {
    const started = performance.now();
    issues(value, { not: { ...schema } });
    issues(value, schema);
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  it('causes no issue for unchecked parts', () => {
    const long = Array.from({ length: 100 }, () => 1);
    const items = { items: { type: 'string' } };
    for (const schema of [
      { not: items },
      { oneOf: [items, items] },
      { if: items, else: false, ...thenOf({ not: items }) },
      { contains: { type: 'string' }, maxContains: 2 },
      { allOf: [items], unevaluatedProperties: false, unevaluatedItems: false },
    ])
      expect(createValueCheck(schema, 50)(long.map(String))).toEqual([]);
    for (const $ref of ['https://example.com/x', '#anchor', 'other.json'])
      expect(issues({ a: 1 }, { not: { $ref }, unevaluatedProperties: false })).toEqual([]);
  });

  it('with long lists does not cause long messages', () => {
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

  it('with long words causes no comparison of them', () => {
    const long = 'x'.repeat(100_000);
    expect(issues({ a: `${long}y` }, object({ a: { enum: [`${long}z`] } }))).toEqual([
      `a: must be one of ${'x'.repeat(100)}…`,
    ]);
  });

  it('is followed for the given number of steps', () => {
    const schema = object({ a: { type: 'array', items: { type: 'string' } } });
    const root = schema as Record<string, unknown>;
    expect(createValueCheck(root, 4)({ a: [1, 2, 3, 4] })).toHaveLength(2);
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
  ])('%j equals %j', (value, choice) => expect(issues(value, { const: choice })).toEqual([]));

  it.each<[value: unknown, choice: unknown]>([
    [{ a: 1 }, { a: 1, b: 1 }],
    [{ a: undefined }, { toString: 1 }],
    [[1, 2], [1]],
    [{}, []],
    ['1', 1],
    [null, {}],
  ])('%j differs from %j', (value, choice) => expect(issues(value, { const: choice })).toHaveLength(1));
});
