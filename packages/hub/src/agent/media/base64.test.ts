import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodedSize, firstBytes, isBase64, notBase64 } from './base64.ts';

describe('base64', () => {
  it('is recognized by length and alphabet, for any content', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat({ max: 64 }), (bytes, count) => {
        const data = Buffer.from(bytes).toString('base64');
        expect(decodedSize(data)).toBe(bytes.length);
        expect(isBase64(data)).toBe(true);
        expect(firstBytes(data, count)).toEqual(Buffer.from(bytes.subarray(0, count)));
      }),
    );
  });

  it('is checked to its end, even if it is long', () => {
    const data = Buffer.alloc(300_000, 7).toString('base64');
    expect(isBase64(data)).toBe(true);
    for (const at of [0, 65_535, 65_536, 131_072, data.length - 1])
      for (const wrong of [' ', '\n', '-', '_', '.', '\u0142'])
        expect(isBase64(data.slice(0, at) + wrong + data.slice(at + 1))).toBe(false);
  });

  it.each([
    ['QUJ', 'wrong length', 'padded'],
    ['QQ=', 'wrong length', 'padded'],
    ['A===', 'wrong length', 'padded'],
    ['====', 'wrong length', 'padded'],
    ['data:image/png;base64,QUJD', 'data: URL', 'after|follows'],
    ['https://example.org/a.png', 'is a URL', 'URLs are not fetched'],
    ['QU JD', 'white space', 'one line'],
    ['QUJD\n', 'white space', 'one line'],
    ['Q-_D', 'alphabet for URLs', 'standard'],
    ['QQ==QUJD', 'character 3 is "="', 'base64'],
    ['QU\u0142D', 'character 3 is "ł"', 'base64'],
  ])('rejects %j', (data, why, hint) => {
    expect(decodedSize(data) === undefined || !isBase64(data)).toBe(true);
    expect(notBase64(data).why).toContain(why);
    expect(notBase64(data).hint).toMatch(new RegExp(hint));
  });
});
