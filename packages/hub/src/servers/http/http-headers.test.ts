import { describe, expect, it } from 'vitest';
import { encodeHeader, NAMED_IN_HEADER, streamHeaders } from './http-headers.ts';

describe('encodeHeader', () => {
  it.each(['x', 'github__search', 'a b', 'screen.snapshot', '!', '~', '=?utf-8?', ''])(
    'sends %j unchanged',
    (value) => {
      expect(encodeHeader(value)).toBe(value);
    },
  );

  it.each(['größe', ' x', 'x ', ' ', 'a\nb', 'a\tb', '日本', '=?base64?eA==?=', '\u007f', 'a\r\nX-Evil: 1'])(
    'sends %j as base64',
    (value) => {
      const header = encodeHeader(value);
      expect(header).toMatch(/^=\?base64\?[A-Za-z0-9+/=]*\?=$/);
      expect(Buffer.from(header.slice('=?base64?'.length, -2), 'base64').toString()).toBe(value);
    },
  );
});

it('methods with a named target repeat it in a header', () => {
  expect([...NAMED_IN_HEADER]).toEqual(
    expect.arrayContaining(['tools/call', 'prompts/get', 'resources/read']),
  );
  expect(NAMED_IN_HEADER.has('tools/list')).toBe(false);
});

describe('streamHeaders', () => {
  const HEADERS = { 'content-type': 'application/json', accept: 'application/json', 'mcp-session-id': 's' };

  it('ask for a stream, without body headers', () => {
    expect(streamHeaders(HEADERS, undefined)).toEqual({
      accept: 'text/event-stream',
      'mcp-session-id': 's',
    });
  });

  it('ask for the rest of a stream', () => {
    expect(streamHeaders(HEADERS, 'e-7')).toMatchObject({ 'last-event-id': 'e-7' });
    expect(HEADERS).not.toHaveProperty('last-event-id');
  });
});
