import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyJson } from '../../../../../test/kit/any-text.ts';
import { defineTool } from '../../../../../test/kit/offer.ts';
import { jsonBytes, parseBytes, toByteText } from '../wire/byte-text.ts';
import { DuplicateKeyError } from '../wire/members.ts';
import { resultInEra, type ResultSubject } from './in-era.ts';

const CALL: ResultSubject = { method: 'tools/call', tool: defineTool({ name: 'x' }) };
const READ: ResultSubject = { method: 'resources/read', tool: undefined };
const BIG = '"n":99999999999999999999,"f":1.0,"e":1E400,"s":"\\u0041\\/"';

describe('in the modern era', () => {
  it('a result gets a result type', () => {
    expect(resultInEra('{}', 'modern', CALL)).toBe('{"resultType":"complete"}');
    expect(resultInEra('{"content": [] }', 'modern', CALL)).toBe('{"content":[],"resultType":"complete"}');
  });

  it('an existing result type is kept', () => {
    for (const type of ['"task"', '"input_required"', 'null', '7'])
      expect(resultInEra(`{"resultType":${type}}`, 'modern', CALL)).toBe(`{"resultType":${type}}`);
  });

  it('a read resource is not cacheable unless it says otherwise', () => {
    expect(parseBytes(resultInEra('{"contents":[]}', 'modern', READ))).toEqual({
      contents: [],
      resultType: 'complete',
      ttlMs: 0,
      cacheScope: 'private',
    });
    expect(parseBytes(resultInEra('{"ttlMs":5,"cacheScope":"public"}', 'modern', READ))).toEqual({
      ttlMs: 5,
      cacheScope: 'public',
      resultType: 'complete',
    });
    expect(resultInEra('{}', 'modern', CALL)).not.toContain('ttlMs');
  });

  it('structured output of any kind is kept', () => {
    expect(resultInEra('{"structuredContent":[1.0]}', 'modern', CALL)).toContain('"structuredContent":[1.0]');
  });
});

describe('in the legacy era', () => {
  it('members of the modern era are removed', () => {
    expect(
      resultInEra('{"resultType":"complete","content":[],"ttlMs":5,"cacheScope":"public"}', 'legacy', READ),
    ).toBe('{"content":[]}');
  });

  it.each([
    ['[1.0]', '{"result":[1.0]}'],
    ['99999999999999999999', '{"result":99999999999999999999}'],
    ['"x"', '{"result":"x"}'],
    ['null', '{"result":null}'],
    ['false', '{"result":false}'],
    ['{"a": 1.0}', '{"a": 1.0}'],
    ['{}', '{}'],
  ])('structured output becomes an object: %s is %s', (structured, expected) => {
    expect(resultInEra(`{"structuredContent":${structured}}`, 'legacy', CALL)).toBe(
      `{"structuredContent":${expected}}`,
    );
  });

  it('a tool whose output is wrapped has objects wrapped too', () => {
    const tool = defineTool({ name: 'x', outputSchema: { anyOf: [{ type: 'object' }, { type: 'array' }] } });
    expect(tool.wrapsOutput).toBe(true);
    expect(resultInEra('{"structuredContent":{"a":1.0}}', 'legacy', { ...CALL, tool })).toBe(
      '{"structuredContent":{"result":{"a":1.0}}}',
    );
    expect(resultInEra('{"content":[]}', 'legacy', { ...CALL, tool })).toBe('{"content":[]}');
  });
});

describe('in either era', () => {
  it('numbers, escapes and unknown members survive unchanged', () => {
    for (const era of ['legacy', 'modern'] as const)
      for (const subject of [CALL, READ])
        expect(resultInEra(`{${BIG},"deep":{ ${BIG} },"_meta":{"x":1.0}}`, era, subject)).toContain(
          `${BIG},"deep":{ ${BIG} },"_meta":{"x":1.0}`,
        );
  });

  it('every member survives byte for byte', () => {
    const era = fc.constantFrom('legacy' as const, 'modern' as const);
    fc.assert(
      fc.property(anyJson(), era, (value, to) => {
        const raw = jsonBytes(value);
        expect(resultInEra(`{"x":${raw}}`, to, CALL)).toContain(`"x":${raw}`);
      }),
    );
  });

  it('a round trip changes nothing', () => {
    const result = toByteText(`{${BIG},"structuredContent":{"größe":1.0}}`);
    expect(resultInEra(resultInEra(result, 'modern', READ), 'legacy', READ)).toBe(result);
  });

  it('duplicate keys throw', () => {
    for (const era of ['legacy', 'modern'] as const)
      expect(() => resultInEra('{"a":1,"a":2}', era, CALL)).toThrow(DuplicateKeyError);
  });
});
