import { describe, expect, it } from 'vitest';
import { isLoopbackHost, isSecure } from './loopback.ts';

describe('isLoopbackHost', () => {
  it.each(['localhost', '127.0.0.1', '127.0.0.2', '127.255.255.255', '127.1.2.3', '::1', '[::1]'])(
    'accepts %s',
    (host) => {
      expect(isLoopbackHost(host)).toBe(true);
    },
  );

  it.each([
    '',
    '127.evil.com',
    '127.0.0.1.evil.com',
    '127.0.0.evil',
    'evil.com',
    'localhost.evil.com',
    'xlocalhost',
    'localhost.',
    '127.0.0.256',
    '127.0.0.1000',
    '127.0.0',
    '127.0.0.1.1',
    '1127.0.0.1',
    '128.0.0.1',
    '10.0.0.1',
    '0.0.0.0',
    '[::]',
    '::',
    '[::ffff:7f00:1]',
    '[::ffff:127.0.0.1]',
    '127.0.0.1 ',
    '127.0.0.1\n',
    '127.-1.0.1',
    '127.0x0.0.1',
  ])('rejects %j', (host) => {
    expect(isLoopbackHost(host)).toBe(false);
  });
});

describe('isSecure', () => {
  it.each([
    ['https://example.com', true],
    ['http://127.0.0.1:8080/x', true],
    ['http://example.com', false],
    ['http://localhost.evil.com', false],
    ['javascript:alert(1)', false],
    ['file://localhost/etc/passwd', false],
  ])('%s: %s', (address, expected) => {
    expect(isSecure(new URL(address))).toBe(expected);
  });
});
