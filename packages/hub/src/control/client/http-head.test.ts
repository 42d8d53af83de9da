import { describe, expect, it } from 'vitest';
import { parseHead } from './http-head.ts';

describe('parseHead', () => {
  it('waits for the whole head', () => {
    expect(parseHead('HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n')).toBeUndefined();
  });

  it('reads status, type and length, and leaves the rest', () => {
    const text =
      'HTTP/1.1 404 Not Found\r\nCONTENT-TYPE: application/json; charset=utf-8\r\nContent-Length:3\r\n\r\nabc';
    expect(parseHead(text)).toEqual({
      head: { status: 404, type: 'application/json', length: 3 },
      rest: 'abc',
    });
  });

  it('does without headers', () => {
    expect(parseHead('HTTP/1.1 101 Switching Protocols\r\n\r\n')).toEqual({
      head: { status: 101, type: '', length: undefined },
      rest: '',
    });
  });
});
