import { describe, expect, it } from 'vitest';
import { checkProxyKnock, type ProxyDoor } from './knock.ts';

const DOOR: ProxyDoor = {
  port: 8000,
  address: '192.168.1.4',
  hosts: ['proxy.example.com', 'lan:8000'],
  isKnownOrigin: (origin) => origin === 'https://app.example.com',
};

const knock = (host?: string, origin?: string, fetchSite?: string): number | undefined =>
  checkProxyKnock({ host, origin, fetchSite }, DOOR)?.status;

describe('the door of the proxy', () => {
  it.each([
    '127.0.0.1:8000',
    '127.0.0.1',
    'localhost:8000',
    'LOCALHOST',
    '[::1]:8000',
    'Proxy.Example.com',
    '192.168.1.4:8000',
    'lan:8000',
  ])('is opened for the host %s', (host) => expect(knock(host)).toBeUndefined());

  it.each([
    undefined,
    '',
    'evil.example',
    '127.0.0.1:8001',
    'localhost.evil.example',
    'proxy.example.com:8000',
    'lan',
    '127.0.0.2',
    '192.168.1.4:8001',
    '0.0.0.0:8000',
    'user@127.0.0.1:8000',
  ])('is shut for the host %s', (host) => expect(knock(host)).toBe(403));

  it('lets pages in that an app has named, wherever the browser says they are', () => {
    expect(knock('127.0.0.1', 'https://app.example.com', 'cross-site')).toBeUndefined();
  });

  it.each([
    'https://evil.example',
    'null',
    '',
    'https://app.example.com.evil.example',
    'http://app.example.com',
    'http://127.0.0.1:8000',
  ])('is shut for a page of %s', (origin) => expect(knock('127.0.0.1', origin)).toBe(403));

  it.each(['cross-site', 'same-site', 'same-origin', ''])(
    'is shut for a browser that hides the page (%s)',
    (site) => expect(knock('127.0.0.1', undefined, site)).toBe(403),
  );

  it('is open for what is typed into a browser', () => {
    expect(knock('127.0.0.1', undefined, 'none')).toBeUndefined();
  });
});
