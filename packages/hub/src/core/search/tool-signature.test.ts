import { describe, expect, it } from 'vitest';
import { toolSignature } from './tool-search-text.ts';

const object = (properties: object, required: string[] = [], more: object = {}): object => ({
  type: 'object',
  properties,
  required,
  ...more,
});

describe('a signature', () => {
  it.each<[object, string]>([
    [object({}), 'x()'],
    [object({ a: { type: 'string' }, b: { type: 'integer' } }, ['a']), 'x(a: string, b?: number)'],
    [object({ 'a-b': { type: 'boolean' } }), 'x("a-b"?: boolean)'],
    [object({ a: { enum: ['p', 'q', 1, null] } }), 'x(a?: "p" | "q" | 1 | null)'],
    [object({ a: { const: true } }), 'x(a?: true)'],
    [object({ a: { type: 'array', items: { type: 'string' } } }), 'x(a?: string[])'],
    [object({ a: { type: 'array', items: { enum: ['p', 'q'] } } }), 'x(a?: ("p" | "q")[])'],
    [object({ a: { type: ['string', 'null'] } }), 'x(a?: string | null)'],
    [
      object({ a: { anyOf: [{ type: 'number' }, { type: 'integer' }, { type: 'null' }] } }),
      'x(a?: number | null)',
    ],
    [object({ a: object({ b: { type: 'string' } }, ['b']) }), 'x(a?: { b: string })'],
    [
      object({ a: object({ b: object({ c: object({ d: {} }) }) }) }),
      'x(a?: { b?: { c?: { d?: unknown } } })',
    ],
    [object({ a: {} }), 'x(a?: unknown)'],
    [object({ a: true }), 'x(a?: unknown)'],
  ])('for %j is %s', (schema, signature) => {
    expect(toolSignature('x', schema)).toBe(signature);
  });

  it.each([undefined, null, 7, [], { properties: 7, required: 'a' }])(
    'for %j has no parameters',
    (schema) => {
      expect(toolSignature('x', schema)).toBe('x()');
    },
  );

  it('follows references within the document, but not in circles', () => {
    const $defs = {
      name: { type: 'string' },
      loop: { $ref: '#/$defs/loop' },
      tree: object({ t: { $ref: '#/$defs/tree' } }),
    };
    const named = object(
      { a: { $ref: '#/$defs/name' }, b: { $ref: '#/$defs/loop' }, c: { $ref: '#/$defs/none' } },
      [],
      { $defs },
    );
    expect(toolSignature('x', named)).toBe('x(a?: string, b?: unknown, c?: unknown)');
    expect(toolSignature('x', object({ a: { $ref: '#/$defs/tree' } }, [], { $defs }))).toBe(
      'x(a?: { t?: { t?: { t?: object } } })',
    );
  });

  it('stays on one line and escapes hidden characters', () => {
    expect(toolSignature('x', object({ 'a\nb': { enum: ['\u202e'] } }))).toBe('x("a\\nb"?: "\\u202e")');
  });

  it('omits optional parameters if it is too long', () => {
    const many = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [`a_rather_long_parameter_${index}`, { type: 'string' }]),
    );
    expect(toolSignature('x', object(many, ['a_rather_long_parameter_7']))).toBe(
      'x(a_rather_long_parameter_7: string, …)',
    );
    const needed = toolSignature('x', object(many, Object.keys(many)));
    expect(needed).toHaveLength(400);
    expect(needed).toMatch(/…\)$/);
  });

  it('keeps required parameters among very many', () => {
    const many = Object.fromEntries(
      Array.from({ length: 500 }, (_, index) => [`p${index}`, { type: 'null' }]),
    );
    expect(toolSignature('x', object(many, ['p499']))).toMatch(/^x\(p499: null, p0\?: null, .*…\)$/);
  });

  it('takes limited time for any schema', () => {
    const wide = { anyOf: Array.from({ length: 3_000 }, () => ({ $ref: '#/$defs/wide' })) };
    const properties = Object.fromEntries(
      Array.from({ length: 3_000 }, (_, index) => [`p${index}`, { $ref: '#/$defs/wide' }]),
    );
    expect(toolSignature('x', object(properties, [], { $defs: { wide } })).length).toBeLessThanOrEqual(400);
  });
});
