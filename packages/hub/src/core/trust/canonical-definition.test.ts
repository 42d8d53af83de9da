import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyMembersText } from '../../../../../test/kit/any-json-text.ts';
import { canonicalDefinition } from './canonical-definition.ts';
import { toByteText } from '../wire/byte-text.ts';
import { atDepth } from '../../../../../test/kit/depth.ts';

const canonical = (json: string): string => canonicalDefinition(toByteText(json));

describe('canonicalDefinition', () => {
  it('ignores key order, white space and string spelling', () => {
    expect(canonical('{"b":{"y":1,"x":[1,{"d":2,"c":"é"}]},"a":null}')).toBe(
      canonical(' {\n"a" :null,\t"b": { "\\u0078":[ 1 ,{"c":"\\u00e9","d":2}],"y":1} }'),
    );
    expect(canonical('{"a":"/<"}')).toBe(canonical('{"a":"\\/\\u003c"}'));
  });

  it.each([
    ['order of elements', '{"required":["a","b"]}', '{"required":["b","a"]}'],
    ['an additional member', '{"a":1}', '{"a":1,"_meta":{}}'],
    ['a hint', '{"annotations":{"readOnlyHint":true}}', '{"annotations":{"readOnlyHint":false}}'],
    ['a number that most readers treat as equal', '{"a":1}', '{"a":1.0}'],
    ['a number that JSON.parse rounds', '{"a":99999999999999999999}', '{"a":100000000000000000000}'],
    ['a number and its text', '{"a":1}', '{"a":"1"}'],
    ['null and an empty object', '{"a":null}', '{"a":{}}'],
    ['an empty list and an empty object', '{"a":[]}', '{"a":{}}'],
    ['invisible characters', '{"a":"b"}', '{"a":"b\\u200b"}'],
    ['a lone surrogate and its usual replacement', '{"a":"\\ud800"}', '{"a":"\\ufffd"}'],
    ['a duplicate key, by its first value', '{"a":1,"a":2}', '{"a":3,"a":2}'],
    ['a duplicate key, by its last value', '{"a":1,"a":2}', '{"a":1,"a":3}'],
    ['a duplicate key, by the order', '{"a":1,"a":2}', '{"a":2,"a":1}'],
    ['a duplicate key, by another spelling', '{"a":1,"\\u0061":2}', '{"a":2}'],
    ['a key that looks like structure', '{"a\\":1,\\"b":2}', '{"a":1,"b":2}'],
  ])('differs by %s', (_what, one, other) => {
    expect(canonical(one)).not.toBe(canonical(other));
  });

  it('is equivalent JSON for readers where the last key wins, and is idempotent', () => {
    fc.assert(
      fc.property(anyMembersText, (json) => {
        const form = canonical(json);
        expect(JSON.parse(form)).toEqual(JSON.parse(json));
        expect(canonical(form)).toBe(form);
      }),
      { numRuns: atDepth(200, 1_000) },
    );
  });

  it('compares very deep definitions byte for byte', () => {
    const deep = (inner: string): string => `{"a":${'['.repeat(100_000)}${inner}${']'.repeat(100_000)}}`;
    expect(canonical(deep('1'))).toBe(canonical(deep('1')));
    expect(canonical(deep('1'))).not.toBe(canonical(deep('2')));
  });
});
