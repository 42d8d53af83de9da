import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isRecord } from '../lib/record.ts';
import { closeCut } from './audit.ts';
import { atDepth } from '../../../../test/kit/depth.ts';

/** All leaf values by path. */
function leaves(value: unknown, path = ''): Map<string, unknown> {
  if (!isRecord(value) && !Array.isArray(value)) return new Map([[path, value]]);
  return new Map(
    Object.entries(value).flatMap(([key, inner]) => [...leaves(inner, `${path}/${JSON.stringify(key)}`)]),
  );
}

describe('closeCut', () => {
  it.each([
    ['{"a":1,"b":"secr', '{"a":1}'],
    ['{"a":1,"b":"secret"', '{"a":1,"b":"secret"}'],
    ['{"a":1,"b":"sec\\"', '{"a":1}'],
    ['{"a":1,"b":"sec\\\\"', '{"a":1,"b":"sec\\\\"}'],
    ['{"a":1,"token"', '{"a":1}'],
    ['{"a":1,"token":', '{"a":1}'],
    ['{"a":1,', '{"a":1}'],
    ['{"a":12', '{}'],
    ['{"a":12 ', '{"a":12}'],
    ['{"a":tru', '{}'],
    ['{"a":{"b":[1,{"c":"x"},"y', '{"a":{"b":[1,{"c":"x"}]}}'],
    ['{"a":[[', '{"a":[[]]}'],
    ['{ "a" : "x" , "b" : { "c"', '{ "a" : "x" , "b" : {}}'],
    ['["a","b', '["a"]'],
    ['[{"value":"s3","na', '[{"value":"[cut]"}]'],
    ['[{"v\\u0061lue":"s3","na', '[{"v\\u0061lue":"[cut]"}]'],
    [
      '{"Value":"s3","b":[{"value":1,"c":2},{"value":"s4",',
      '{"Value":"[cut]","b":[{"value":1,"c":2},{"value":"[cut]"}]}',
    ],
    ['{"value":["a","b', '{"value":["a"]}'],
    ['"a string alone', 'null'],
    ['', 'null'],
    ['{"a":1}', '{"a":1}'],
  ])('closes %s as %s', (cut, whole) => {
    expect(closeCut(cut)).toBe(whole);
  });

  it('returns valid JSON for any cut, with only complete values of the original', () => {
    fc.assert(
      fc.property(fc.json({ depthSize: 'medium' }), fc.nat(), (json, place) => {
        const closed: unknown = JSON.parse(closeCut(json.slice(0, place % (json.length + 1))));
        if (!isRecord(closed) && !Array.isArray(closed)) return;
        const original = leaves(JSON.parse(json));
        for (const [path, value] of leaves(closed)) {
          expect(original.has(path)).toBe(true);
          if (value !== '[cut]') expect(value).toEqual(original.get(path));
        }
      }),
      { numRuns: atDepth(200, 2_000) },
    );
  });

  it('stays fast for endless brackets', () => {
    expect(closeCut('['.repeat(100_000))).toHaveLength(200_000);
  });
});
