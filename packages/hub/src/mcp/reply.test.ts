import { describe, expect, it } from 'vitest';
import { parseBytes } from '../core/wire/byte-text.ts';
import { errorText, notificationText, resultText } from './reply.ts';

describe('texts', () => {
  it.each(['1', '"7"', '99999999999999999999', '-0', '"\\u0061"'])('carry the id %s unchanged', (id) => {
    expect(resultText(id, '{}')).toBe(`{"jsonrpc":"2.0","id":${id},"result":{}}`);
    expect(errorText(id, { code: 1, message: 'm', status: 400 })).toBe(
      `{"jsonrpc":"2.0","id":${id},"error":{"code":1,"message":"m"}}`,
    );
  });

  it('carry id null if none could be read', () => {
    expect(errorText(undefined, { code: -32700, message: 'm', status: 400 })).toContain('"id":null');
  });

  it('carry data as bytes, if there is some', () => {
    const text = errorText('1', { code: 1, message: 'größe', data: { a: '€' }, status: 400 });
    expect(parseBytes(text)).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: 1, message: 'größe', data: { a: '€' } },
    });
  });

  it('of notifications carry the params unchanged', () => {
    expect(notificationText('notifications/x', '{ "n": 1.0 }')).toBe(
      '{"jsonrpc":"2.0","method":"notifications/x","params":{ "n": 1.0 }}',
    );
  });
});
