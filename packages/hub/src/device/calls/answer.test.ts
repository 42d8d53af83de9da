import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseBytes } from '../../core/wire/byte-text.ts';
import { Base64, DataUri, type Payload } from '../registry/capability.ts';
import { itemPieces, joined, payloadPieces } from './answer.ts';

const BYTES = randomBytes(100_000);
const BASE64 = BYTES.toString('base64');

/** The payload as a client reads it from both places. */
const readBack = (payload: Payload): unknown[] => [
  parseBytes(payloadPieces(payload, 'json').join('')),
  JSON.parse(parseBytes(`"${payloadPieces(payload, 'inText').join('')}"`) as string),
];

describe('the JSON of a payload', () => {
  it('equals the output of JSON.stringify for any payload', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue()), (payload) => {
        const plain: unknown = JSON.parse(JSON.stringify(payload));
        expect(readBack(payload)).toEqual([plain, plain]);
      }),
    );
  });

  it('contains media unchanged, as the same text each time', () => {
    const base64 = new Base64(BYTES);
    const payload = { 'ü"': 'ß\\"\n', base64, image: new DataUri('image/png', base64), n: [1, { a: null }] };
    const plain = { ...payload, base64: BASE64, image: `data:image/png;base64,${BASE64}` };
    expect(readBack(payload)).toEqual([plain, plain]);
    expect(JSON.parse(JSON.stringify(payload))).toEqual(plain);
    expect(payloadPieces(payload, 'inText').filter((piece) => piece === BASE64)).toHaveLength(2);
  });

  it('omits undefined members, and may be a list', () => {
    expect(readBack({ a: undefined, b: 1 })).toEqual([{ b: 1 }, { b: 1 }]);
    expect(readBack([1, '"'])).toEqual([
      [1, '"'],
      [1, '"'],
    ]);
    expect(readBack({})).toEqual([{}, {}]);
  });

  it('may contain nested media', () => {
    const plain = { shots: [{ base64: BASE64 }] };
    expect(readBack({ shots: [{ base64: new Base64(BYTES) }] })).toEqual([plain, plain]);
  });
});

describe('the JSON of media', () => {
  it('is MCP content, or a resource if MCP has no content type', () => {
    const read = (...item: Parameters<typeof itemPieces>): unknown =>
      parseBytes(itemPieces(...item).join(''));
    expect(read({ type: 'audio', data: new Base64(BYTES), mimeType: 'audio/wav' })).toEqual({
      type: 'audio',
      data: BASE64,
      mimeType: 'audio/wav',
    });
    expect(read({ type: 'video', data: 'AAAA', mimeType: 'video/mp4' })).toEqual({
      type: 'resource',
      resource: { uri: 'device://clip', mimeType: 'video/mp4', blob: 'AAAA' },
    });
    expect(read({ type: 'image', data: 'A"\n', mimeType: 'image/"x' })).toEqual({
      type: 'image',
      data: 'A"\n',
      mimeType: 'image/"x',
    });
  });
});

it('only long texts stay separate pieces', () => {
  expect(joined(['{', '"a":', '1', '}'])).toEqual(['{"a":1}']);
  expect(joined(['"', BASE64, '"', ',', BASE64])).toEqual(['"', BASE64, '",', BASE64, '']);
});
