import { describe, expect, it } from 'vitest';
import { readHeaderAnnotations } from './header-annotations.ts';

const annotated = (name: unknown, type: unknown = 'string'): object => ({ type, 'x-mcp-header': name });
const properties = (all: object): object => ({ type: 'object', properties: all });

describe('readHeaderAnnotations', () => {
  it('returns the path to each annotated argument', () => {
    const schema = properties({
      region: annotated('Region'),
      'x-mcp-header': { type: 'string' },
      limits: properties({ max: annotated('Max-Rows', 'integer'), all: annotated('X_All', 'boolean') }),
    });
    expect(readHeaderAnnotations(schema)).toEqual({
      headerParams: [
        { path: ['region'], header: 'Mcp-Param-Region', type: 'string' },
        { path: ['limits', 'max'], header: 'Mcp-Param-Max-Rows', type: 'integer' },
        { path: ['limits', 'all'], header: 'Mcp-Param-X_All', type: 'boolean' },
      ],
      headerProblem: undefined,
    });
  });

  it('ignores annotations inside data', () => {
    const schema = properties({
      a: { type: 'object', default: { 'x-mcp-header': 1 }, examples: [annotated('')] },
    });
    expect(readHeaderAnnotations(schema)).toEqual({ headerParams: [], headerProblem: undefined });
  });

  it.each([
    ['an empty name', annotated('')],
    ['a name with a space', annotated('My Region')],
    ['a name with a line break', annotated('Region\r\nX')],
    ['a name with a colon', annotated('Region:')],
    ['a name with non-ASCII letters', annotated('Größe')],
    ['a number as name', annotated(7)],
    ['null', annotated(null)],
    ['a number', annotated('Region', 'number')],
    ['an object', annotated('Region', 'object')],
    ['an array', annotated('Region', 'array')],
    ['null as its type', annotated('Region', 'null')],
    ['several types', annotated('Region', ['string', 'null'])],
    ['no type', { 'x-mcp-header': 'Region' }],
  ])('refuses %s', (_what, schema) => {
    const { headerParams, headerProblem } = readHeaderAnnotations(
      properties({ good: annotated('A'), bad: schema }),
    );
    expect(headerParams).toEqual([]);
    expect(headerProblem).toMatch(/^x-mcp-header /);
  });

  it('refuses a name that differs from another only in case', () => {
    const schema = properties({ a: annotated('Region'), b: properties({ c: annotated('REGION') }) });
    expect(readHeaderAnnotations(schema).headerProblem).toBe('x-mcp-header "REGION" is used twice');
  });

  it.each([
    ['at the root', annotated('A')],
    ['in items', { items: annotated('A') }],
    ['in a list of items', { prefixItems: [annotated('A')] }],
    ['in properties of items', { items: properties({ a: annotated('A') }) }],
    ['in oneOf', { oneOf: [{}, annotated('A')] }],
    ['in anyOf', { anyOf: [properties({ a: annotated('A') })] }],
    ['in allOf', { allOf: [properties({ a: annotated('A') })] }],
    ['in not', { not: annotated('A') }],
    ['in else', { if: {}, else: properties({ a: annotated('A') }) }],
    ['in a definition', { $defs: { a: annotated('A') } }],
    ['in additionalProperties', { additionalProperties: annotated('A') }],
    ['in patternProperties', { patternProperties: { '^x': annotated('A') } }],
    ['deep below', properties({ a: properties({ b: { items: { not: annotated('A') } } }) })],
  ])('refuses an annotation %s', (_where, schema) => {
    expect(readHeaderAnnotations(schema).headerProblem).toBe(
      'x-mcp-header is not reachable through "properties" alone',
    );
  });

  it('stops at a schema nested too deeply', () => {
    let schema = annotated('A');
    for (let depth = 0; depth < 100_000; depth++) schema = { properties: { a: schema } };
    expect(readHeaderAnnotations(schema)).toEqual({
      headerParams: [],
      headerProblem: expect.stringContaining('too deeply'),
    });
  });
});
