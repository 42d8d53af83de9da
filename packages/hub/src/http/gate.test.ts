import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/verifies.ts';
import { checkGate, isLoopbackAddress, type GateRequest } from './gate.ts';

const PORT = 8765;
const GOOD: GateRequest = {
  remoteAddress: '127.0.0.1',
  origin: undefined,
  fetchSite: undefined,
  host: '127.0.0.1:8765',
  port: PORT,
  allowsOwnOrigin: false,
};
const NOT_HERE = 'Only this machine may connect.';
const NO_PAGES = 'Requests from web pages are refused.';
const WRONG_HOST = 'The Host header does not name this listener.';

const reasonFor = (over: Partial<GateRequest>): string | undefined => {
  const refusal = checkGate({ ...GOOD, ...over });
  if (refusal !== undefined) expect(refusal.status).toBe(403);
  return refusal?.reason;
};

describe('admits', () => {
  it.each<[string, Partial<GateRequest>]>([
    ['a program on this machine', {}],
    ['over IPv6', { remoteAddress: '::1', host: '[::1]:8765' }],
    ['over IPv4 on an IPv6 socket', { remoteAddress: '::ffff:127.0.0.1' }],
    ['from another address of 127/8', { remoteAddress: '127.0.0.2' }],
    ['from the last address of 127/8', { remoteAddress: '127.255.255.254' }],
    ['Host 127.0.0.1 without port', { host: '127.0.0.1' }],
    ['Host localhost', { host: 'localhost' }],
    ['Host localhost with our port', { host: 'localhost:8765' }],
    ['Host [::1]', { host: '[::1]' }],
    ['a person who types the address', { fetchSite: 'none' }],
    [
      "an MCP client that sends the listener's own origin",
      { origin: 'http://127.0.0.1:8765', allowsOwnOrigin: true },
    ],
    ['the same under another host name', { origin: 'http://localhost:8765', allowsOwnOrigin: true }],
  ])('%s', (_who, over) => {
    expect(reasonFor(over)).toBeUndefined();
  });
});

describe('refuses another machine', () => {
  it.each([
    undefined,
    '',
    '10.0.0.1',
    '192.168.1.2',
    '172.17.0.1',
    '0.0.0.0',
    '::',
    '8.8.8.8',
    '128.0.0.1',
    '12.7.0.1',
    '1270.0.0.1',
    'fe80::1',
    '::ffff:10.0.0.1',
    '::ffff:0:127.0.0.1',
    '::127.0.0.1',
    '::11',
    '64:ff9b::7f00:1',
    'fd00::127.0.0.1',
    'localhost',
  ])('%j', (remoteAddress) => {
    expect(reasonFor({ remoteAddress })).toBe(NOT_HERE);
    expect(isLoopbackAddress(remoteAddress)).toBe(false);
  });
});

describe('refuses a web page', () => {
  it.each([
    'https://evil.com',
    'http://127.0.0.1:8765',
    'http://localhost:8765',
    'http://localhost',
    'null',
    'file://',
    'vscode-webview://x',
    'chrome-extension://abc',
    '',
  ])('Origin %j', (origin) => {
    expect(reasonFor({ origin })).toBe(NO_PAGES);
  });

  it.each([
    'https://127.0.0.1:8765',
    'http://127.0.0.1',
    'http://127.0.0.1:8766',
    'http://127.0.0.1:8765/',
    'null',
  ])('on /mcp, Origin %j', (origin) => {
    expect(reasonFor({ origin, allowsOwnOrigin: true })).toBe(NO_PAGES);
  });

  it('refuses a page of the own origin, marked by the browser', () => {
    const request = { origin: 'http://127.0.0.1:8765', fetchSite: 'same-origin', allowsOwnOrigin: true };
    expect(reasonFor(request)).toBe(NO_PAGES);
  });

  it.each(['cross-site', 'same-site', 'same-origin', 'None', 'none, cross-site', '', 'x'])(
    'Sec-Fetch-Site %j',
    (fetchSite) => {
      expect(reasonFor({ fetchSite })).toBe(NO_PAGES);
    },
  );
});

describe('refuses a rebound name', () => {
  it.each([
    undefined,
    '',
    'evil.com',
    'evil.com:8765',
    '127.evil.com',
    '127.0.0.1.evil.com',
    '127.0.0.1.nip.io:8765',
    'localhost.evil.com',
    'evil.com#127.0.0.1',
    '127.0.0.1@evil.com',
    'evil.com@127.0.0.1',
    'user@localhost:8765',
    'localhost.',
    'LOCALHOST.evil.com',
    'localhost:80',
    'localhost:8766',
    'localhost:87650',
    'localhost:08765',
    'localhost:',
    'localhost:8765:8765',
    '127.0.0.1:0',
    '127.1',
    '127.0.0.2',
    '127.0.0.01',
    '0x7f000001',
    '2130706433',
    '0.0.0.0',
    '0.0.0.0:8765',
    '0',
    '::1',
    '::1:8765',
    '[::]',
    '[::]:8765',
    '[::1]:8766',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    ' localhost',
    'localhost ',
    'localhost\t',
    'localhost,evil.com',
    'localhost/evil',
    'ⓛocalhost',
    '１２７.0.0.1',
  ])('Host %j', (host) => {
    expect(reasonFor({ host })).toBe(WRONG_HOST);
  });

  it('accepts the port it listens on', () => {
    expect(reasonFor({ host: 'localhost:9000', port: 9000 })).toBeUndefined();
    expect(reasonFor({ host: 'localhost:8765', port: 9000 })).toBe(WRONG_HOST);
  });
});

describe('the order of checks', () => {
  it('is address, Origin, Sec-Fetch-Site, Host', () => {
    verifies('000-http-loopback-check');
    const bad = {
      remoteAddress: '10.0.0.1',
      origin: 'https://evil.com',
      fetchSite: 'cross-site',
      host: 'evil.com',
    };
    expect(reasonFor(bad)).toBe(NOT_HERE);
    expect(reasonFor({ ...bad, remoteAddress: '127.0.0.1' })).toBe(NO_PAGES);
    expect(reasonFor({ ...bad, remoteAddress: '127.0.0.1', origin: undefined })).toBe(NO_PAGES);
    const request = { ...bad, remoteAddress: '127.0.0.1', origin: undefined, fetchSite: undefined };
    expect(reasonFor(request)).toBe(WRONG_HOST);
    expect(reasonFor({ ...request, host: 'localhost' })).toBeUndefined();
  });
});
