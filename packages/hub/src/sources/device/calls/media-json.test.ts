import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseBytes } from '../../../core/wire/byte-text.ts';
import { itemJson, payloadJson } from './media-json.ts';

const BASE64 = randomBytes(10_000).toString('base64');

/** What a client reads in both places. */
const readBack = (payload: Record<string, unknown>): unknown[] => {
  const { json, inText } = payloadJson(payload);
  return [parseBytes(json), JSON.parse(parseBytes(`"${inText}"`) as string)];
};

describe('the JSON of a payload', () => {
  it('is what JSON.stringify would write, whatever is in it', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue()), (payload) => {
        const plain: unknown = JSON.parse(JSON.stringify(payload));
        expect(readBack(payload)).toEqual([plain, plain]);
      }),
    );
  });

  it('has media in it as they are', () => {
    const payload = {
      'ü"': 'ß\\"\n',
      base64: BASE64,
      image: `data:image/png;base64,${BASE64}`,
      n: [1, { a: null }],
    };
    expect(readBack(payload)).toEqual([payload, payload]);
    expect(payloadJson(payload).json.split(BASE64)).toHaveLength(3);
  });

  it('escapes a long text that only looks like media', () => {
    for (const sting of ['"', '\\', '\n', '\u0000', 'é', '☃', ' ']) {
      const payload = {
        base64: `${BASE64.slice(0, 8_000)}${sting}${BASE64}`,
        image: `data:${sting};base64,${BASE64}`,
      };
      expect(readBack(payload)).toEqual([payload, payload]);
      const item = itemJson({ type: 'image', data: payload.base64, mimeType: `image/"${sting}` });
      expect(parseBytes(item)).toEqual({ type: 'image', data: payload.base64, mimeType: `image/"${sting}` });
    }
  });

  it('escapes the one character in a text of any length that the decoder does not miss', () => {
    for (const sting of ['"', '\\', '\n', 'é', '☃'])
      for (let length = 4_096; length < 4_104; length++)
        for (const end of ['', '=', '==', '==='])
          for (const at of [0, 5, length]) {
            const plain = 'A'.repeat(length);
            const text = plain.slice(0, at) + sting + plain.slice(at) + end;
            const payload = { text, image: `data:image/png;base64,${text}` };
            expect(readBack(payload)).toEqual([payload, payload]);
          }
  });

  it('leaves out what is undefined, and may be a list', () => {
    expect(readBack({ a: undefined, b: 1 })).toEqual([{ b: 1 }, { b: 1 }]);
    expect(payloadJson([1, '"'])).toEqual({ json: '[1,"\\""]', inText: '[1,\\"\\\\\\"\\"]' });
    expect(payloadJson({})).toEqual({ json: '{}', inText: '{}' });
  });
});

describe('the JSON of media', () => {
  it('is content of MCP, and a resource where that has none', () => {
    expect(parseBytes(itemJson({ type: 'audio', data: BASE64, mimeType: 'audio/wav' }))).toEqual({
      type: 'audio',
      data: BASE64,
      mimeType: 'audio/wav',
    });
    expect(parseBytes(itemJson({ type: 'video', data: 'AAAA', mimeType: 'video/mp4' }))).toEqual({
      type: 'resource',
      resource: { uri: 'device://clip', mimeType: 'video/mp4', blob: 'AAAA' },
    });
  });
});
