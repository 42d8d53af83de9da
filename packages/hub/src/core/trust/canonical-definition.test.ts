import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyMembersText } from '../../../../../test/kit/any-json-text.ts';
import { canonicalDefinition } from './canonical-definition.ts';
import { toByteText } from '../wire/byte-text.ts';

const canonical = (json: string): string => canonicalDefinition(toByteText(json));

describe('canonicalDefinition', () => {
  it('is the same for another order of keys, other space, another spelling of a text', () => {
    expect(canonical('{"b":{"y":1,"x":[1,{"d":2,"c":"é"}]},"a":null}')).toBe(
      canonical(' {\n"a" :null,\t"b": { "\\u0078":[ 1 ,{"c":"\\u00e9","d":2}],"y":1} }'),
    );
    expect(canonical('{"a":"/<"}')).toBe(canonical('{"a":"\\/\\u003c"}'));
  });

  it.each([
    ['order of elements', '{"required":["a","b"]}', '{"required":["b","a"]}'],
    ['a member more', '{"a":1}', '{"a":1,"_meta":{}}'],
    ['a hint', '{"annotations":{"readOnlyHint":true}}', '{"annotations":{"readOnlyHint":false}}'],
    ['a number that most read alike', '{"a":1}', '{"a":1.0}'],
    ['a number that JSON.parse rounds', '{"a":99999999999999999999}', '{"a":100000000000000000000}'],
    ['a number and its text', '{"a":1}', '{"a":"1"}'],
    ['nothing and an empty object', '{"a":null}', '{"a":{}}'],
    ['an empty list and an empty object', '{"a":[]}', '{"a":{}}'],
    ['what cannot be seen', '{"a":"b"}', '{"a":"b\\u200b"}'],
    ['a half and what it is often read as', '{"a":"\\ud800"}', '{"a":"\\ufffd"}'],
    ['a key that is there twice, by its first value', '{"a":1,"a":2}', '{"a":3,"a":2}'],
    ['a key that is there twice, by its last value', '{"a":1,"a":2}', '{"a":1,"a":3}'],
    ['a key that is there twice, by the order', '{"a":1,"a":2}', '{"a":2,"a":1}'],
    ['a key that is there twice, by another spelling', '{"a":1,"\\u0061":2}', '{"a":2}'],
    ['a key that looks like structure', '{"a\\":1,\\"b":2}', '{"a":1,"b":2}'],
  ])('differs by %s', (_what, one, other) => {
    expect(canonical(one)).not.toBe(canonical(other));
  });

  it('is JSON with the same meaning for every reader that takes the last, and is its own form', () => {
    fc.assert(
      fc.property(anyMembersText, (json) => {
        const form = canonical(json);
        expect(JSON.parse(form)).toEqual(JSON.parse(json));
        expect(canonical(form)).toBe(form);
      }),
      { numRuns: 1_000 },
    );
  });

  it('compares what nests absurdly deep byte for byte', () => {
    const deep = (inner: string): string => `{"a":${'['.repeat(100_000)}${inner}${']'.repeat(100_000)}}`;
    expect(canonical(deep('1'))).toBe(canonical(deep('1')));
    expect(canonical(deep('1'))).not.toBe(canonical(deep('2')));
  });
});
