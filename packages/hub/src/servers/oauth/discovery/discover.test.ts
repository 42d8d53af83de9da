import { describe, expect, it } from 'vitest';
import { servePages } from '../../../../../../test/kit/pages.ts';
import { createGuardedFetch, type Answer, type GuardedFetch, type Resolve } from '../guard/guarded-fetch.ts';
import {
  canonicalResource,
  discover,
  readResourceMetadata,
  resourceMetadataUrls,
  type DiscoverParts,
} from './discover.ts';
import { verifies } from '../../../../../../test/verifies.ts';

const limits = { signInDocumentMs: 2_000, maxSignInDocumentBytes: 256 * 1024 };

/** Documents in memory; other requests are sent for real. */
function web(documents: Readonly<Record<string, object>>, resolve?: Resolve) {
  const asked: string[] = [];
  const real = createGuardedFetch({ limits, ...(resolve && { resolve }) });
  const fetch: GuardedFetch = async (address, bounds, question) => {
    const url = String(address);
    asked.push(url);
    const document = documents[url];
    if (document === undefined && new URL(url).hostname.endsWith('.example.com') && resolve === undefined)
      return answer(404, {});
    return document === undefined ? real(address, bounds, question) : answer(200, document);
  };
  const find = (more: Partial<DiscoverParts> = {}): ReturnType<typeof discover> =>
    discover({ fetch, url: SERVER, ...more });
  return { asked, find };
}

const answer = (status: number, document: object): Answer => ({
  status,
  headers: {},
  text: JSON.stringify(document),
  isFromPrivate: false,
});

const SERVER = new URL('https://mcp.example.com/mcp');
const AT_SERVER = 'https://mcp.example.com/.well-known/oauth-protected-resource/mcp';
const AT_ROOT = 'https://mcp.example.com/.well-known/oauth-protected-resource';
const ISSUER = 'https://auth.example.com';
const AT_ISSUER = `${ISSUER}/.well-known/oauth-authorization-server`;

const resource = (...authorizationServers: string[]): object => ({
  resource: SERVER.href,
  authorization_servers: authorizationServers,
});
const issuer = (of: string, more: object = {}): object => ({
  issuer: of,
  authorization_endpoint: `${of}/authorize`,
  token_endpoint: `${of}/token`,
  code_challenge_methods_supported: ['S256'],
  ...more,
});

describe('discover', () => {
  it('finds the authorization server that the server trusts', async () => {
    verifies('004-5.1-resource-metadata', '004-5.1-server-metadata');
    const { find, asked } = web({ [AT_SERVER]: resource(ISSUER), [AT_ISSUER]: issuer(ISSUER) });
    expect(await find()).toMatchObject({
      resource: SERVER.href,
      authorizationServer: { issuer: ISSUER },
      bounds: { allowsPrivate: false },
    });
    expect(asked).toEqual([AT_SERVER, AT_ISSUER]);
  });

  it('looks at the announced address, then at the server’s path, then at its root', async () => {
    verifies('004-5.1-www-authenticate');
    const announced = 'https://mcp.example.com/meta';
    const { find, asked } = web({ [AT_ROOT]: resource(ISSUER), [AT_ISSUER]: issuer(ISSUER) });
    await find({ challenge: { resourceMetadata: announced } });
    expect(asked.slice(0, 3)).toEqual([announced, AT_SERVER, AT_ROOT]);
  });

  it('uses the server itself if it names no authorization server', async () => {
    verifies('004-5.1-server-metadata');
    const own = 'https://mcp.example.com';
    const { find } = web({ [`${own}/.well-known/openid-configuration`]: issuer(`${own}/`) });
    expect(await find()).toMatchObject({ resource: SERVER.href, authorizationServer: { issuer: `${own}/` } });
  });

  it('keeps the issuer of the last sign-in as long as the server trusts it', async () => {
    const second = 'https://second.example.com';
    const { find } = web({
      [AT_SERVER]: resource(ISSUER, second),
      [AT_ISSUER]: issuer(ISSUER),
      [`${second}/.well-known/oauth-authorization-server`]: issuer(second),
    });
    expect((await find({ knownIssuer: second })).authorizationServer.issuer).toBe(second);
    expect((await find({ knownIssuer: 'https://old.example.com' })).authorizationServer.issuer).toBe(ISSUER);
  });

  it('prefers the configuration over the server', async () => {
    verifies('004-12.1-auth-server-url');
    const { find } = web({ [AT_SERVER]: resource('https://other.example.com'), [AT_ISSUER]: issuer(ISSUER) });
    expect(await find({ authorizationServerUrl: `${ISSUER}/` })).toMatchObject({
      authorizationServer: { issuer: ISSUER },
    });
  });

  it('fails if there is no metadata', async () => {
    const { find } = web({ [AT_SERVER]: resource(ISSUER) });
    await expect(find()).rejects.toThrow(/has no metadata of an authorization server/);
  });
});

describe('a public server', () => {
  const places = (port: string): string[] => [
    `http://127.0.0.1:${port}`,
    `http://localhost:${port}`,
    `https://127.0.0.1:${port}`,
    `https://127.1:${port}`,
    `https://0x7f000001:${port}`,
    `https://0x7f.1:${port}`,
    `https://2130706433:${port}`,
    `https://0177.0.0.1:${port}`,
    `https://127.0.0.1.:${port}`,
    `https://[::1]:${port}`,
    `https://[::ffff:127.0.0.1]:${port}`,
    `https://[::ffff:7f00:1]:${port}`,
    `https://[64:ff9b::7f00:1]:${port}`,
    `https://[2002:7f00:1::]:${port}`,
    `https://１２７.０.０.１:${port}`,
    `https://127。0。0。1:${port}`,
    `https://localhost.:${port}`,
    `https://x.localhost:${port}`,
    `https://0.0.0.0:${port}`,
    `https://[::]:${port}`,
    'http://169.254.169.254',
    'https://169.254.169.254',
    'https://[fe80::1]',
    'https://10.0.0.1',
    'https://192.168.0.1',
    `https://user@127.0.0.1:${port}`,
    'http://public.example.com',
    'file:///etc/passwd',
    'ftp://public.example.com',
    'not an address',
  ];

  it('cannot point to this machine, a private network, or anything but https', async () => {
    verifies('004-14-https-only');
    await using canary = await servePages();
    for (const place of places(new URL(canary.origin).port)) {
      const { find, asked } = web({ [AT_SERVER]: resource(place) });
      await expect(find(), place).rejects.toMatchObject({ code: 'SIGN_IN_FAILED' });
      expect(asked, place).toEqual([AT_SERVER]);
      const endpoints = ['authorization_endpoint', 'token_endpoint', 'registration_endpoint'];
      for (const endpoint of endpoints) {
        const documents = {
          [AT_SERVER]: resource(ISSUER),
          [AT_ISSUER]: issuer(ISSUER, { [endpoint]: place }),
        };
        await expect(web(documents).find(), `${endpoint} ${place}`).rejects.toMatchObject({
          code: 'SIGN_IN_FAILED',
        });
      }
    }
    expect(canary.requests).toEqual([]);
  });

  it('cannot do so through a host name', async () => {
    await using canary = await servePages();
    const place = `https://rebound.example.com:${new URL(canary.origin).port}`;
    const { find } = web({ [AT_SERVER]: resource(place) }, (_host, done) =>
      done(null, [{ address: '127.0.0.1', family: 4 }]),
    );
    await expect(find()).rejects.toThrow(/private network/);
    expect(canary.requests).toEqual([]);
  });

  it('may have a private authorization server that the person configured', async () => {
    await using inside = await servePages();
    inside.set('/.well-known/oauth-authorization-server', issuer(inside.origin));
    const { find } = web({ [AT_SERVER]: resource(ISSUER) });
    expect(await find({ authorizationServerUrl: inside.origin })).toMatchObject({
      authorizationServer: { issuer: inside.origin },
    });
  });
});

const NESTED = new URL('https://mcp.example.com/a/mcp');
const metadata = (resource: unknown, more: object = {}): string => JSON.stringify({ resource, ...more });

describe('resourceMetadataUrls', () => {
  it('are the announced address, the server’s path and its root', () => {
    expect(resourceMetadataUrls(NESTED, 'https://mcp.example.com/meta')).toEqual([
      'https://mcp.example.com/meta',
      'https://mcp.example.com/.well-known/oauth-protected-resource/a/mcp',
      'https://mcp.example.com/.well-known/oauth-protected-resource',
    ]);
    expect(resourceMetadataUrls(new URL('https://mcp.example.com/'), undefined)).toEqual([
      'https://mcp.example.com/.well-known/oauth-protected-resource',
    ]);
  });

  it.each([
    'https://evil.example.com/meta',
    'http://mcp.example.com/meta',
    'https://mcp.example.com:444/meta',
    'https://mcp.example.com@evil.example.com/',
    'http://169.254.169.254/latest',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'not an address',
    '/relative',
  ])('are never at another origin: %s', (announced) =>
    expect(() => resourceMetadataUrls(NESTED, announced)).toThrow(/another origin/),
  );
});

describe('readResourceMetadata', () => {
  it('keeps the spelling of the resource', () => {
    expect(
      readResourceMetadata(
        metadata('https://mcp.example.com/a/mcp', {
          authorization_servers: ['https://auth.example.com', 1],
          scopes_supported: ['a'],
        }),
        NESTED,
      ),
    ).toEqual({
      resource: 'https://mcp.example.com/a/mcp',
      authorizationServers: ['https://auth.example.com'],
      scopesSupported: ['a'],
    });
  });

  it.each([
    'https://mcp.example.com',
    'https://mcp.example.com/',
    'https://mcp.example.com/a',
    'https://mcp.example.com/a/mcp/',
  ])('accepts %s for everything below it', (resource) =>
    expect(readResourceMetadata(metadata(resource), NESTED).resource).toBe(resource),
  );

  it.each([
    'https://evil.example.com/a/mcp',
    'http://mcp.example.com/a/mcp',
    'https://mcp.example.com/a/mc',
    'https://mcp.example.com/a/mcp/deeper',
    'https://mcp.example.com/b',
    'https://mcp.example.com/a/mcp#x',
    'https://mcp.example.com/a/mcp\n',
    'urn:x',
  ])('refuses another server’s resource: %s', (resource) =>
    expect(() => readResourceMetadata(metadata(resource), NESTED)).toThrow(/describes another one/),
  );

  it.each(['', '[]', 'null', '<html>', '{}', '{"resource":1}'])('refuses %s', (text) =>
    expect(() => readResourceMetadata(text, NESTED)).toThrow(
      expect.objectContaining({ code: 'SIGN_IN_FAILED' }),
    ),
  );
});

describe('canonicalResource', () => {
  it('is the address without a trailing slash and a fragment', () => {
    expect(canonicalResource(new URL('https://MCP.example.com:443/'))).toBe('https://mcp.example.com');
    expect(canonicalResource(new URL('https://mcp.example.com/a/?x=1#y'))).toBe(
      'https://mcp.example.com/a/?x=1',
    );
  });
});
