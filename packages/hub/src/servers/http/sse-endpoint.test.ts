import { describe, expect, it } from 'vitest';
import { toByteText } from '../../core/wire/byte-text.ts';
import { endpointPath } from './sse-wire.ts';

const PEER = {
  server: 's',
  url: new URL('https://one.example:8443/base/sse?tenant=1'),
  hasKey: true,
  maxRetryAfterMs: 60_000,
};
const pathOf = (data: string): string => endpointPath(PEER, toByteText(data));

describe('the endpoint of a server', () => {
  it.each([
    ['/messages?sessionId=1', '/messages?sessionId=1'],
    ['messages/', '/base/messages/'],
    ['?sessionId=1', '/base/sse?sessionId=1'],
    ['https://one.example:8443/m#x', '/m'],
    ['HTTPS://ONE.EXAMPLE:8443/m', '/m'],
    ['//one.example:8443/m', '/m'],
    ['/größe', '/gr%C3%B6%C3%9Fe'],
    ['/a/../../b', '/b'],
  ])('%s is %s', (data, path) => {
    expect(pathOf(data)).toBe(path);
  });

  it.each([
    ['https://two.example/m', 'https://two.example'],
    ['https://one.example/m', 'https://one.example'],
    ['http://one.example:8443/m', 'http://one.example:8443'],
    ['//two.example/m', 'https://two.example'],
    ['https://one.example:8443@two.example/m', 'https://two.example'],
    ['https://one.example.two.example:8443/m', 'https://one.example.two.example:8443'],
    ['\\\\two.example/m', 'https://two.example'],
    ['file:///etc/passwd', 'a file: address'],
    ['javascript:alert(1)', 'a javascript: address'],
  ])('%s is refused, because it has another origin', (data, origin) => {
    expect(() => pathOf(data)).toThrow(
      expect.objectContaining({
        code: 'SERVER_PROTOCOL',
        message: `Server "s" asks for its messages at ${origin}, which is not its configured origin.`,
      }),
    );
  });

  it('is refused if it is not a URL', () => {
    expect(() => pathOf('https://[')).toThrow('not a URL');
  });
});
