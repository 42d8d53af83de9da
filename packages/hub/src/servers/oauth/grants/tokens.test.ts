import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../../../../test/kit/processes.ts';
import { TokenServer } from '../../../../../../test/kit/token-server.ts';
import { verifies } from '../../../../../../test/verifies.ts';
import { DEFAULT_LIMITS } from '../../../core/limits.ts';
import { openGrantFiles } from '../../../owner/grant-files.ts';
import type { AuthSettings } from '../client/settings.ts';
import { createGuardedFetch } from '../guard/guarded-fetch.ts';
import { createGrants, type Grants } from './grant-store.ts';
import { createRenewGrant } from './renew-grant.ts';
import { createTokens } from './tokens.ts';

const URL_OF_SERVER = 'https://mcp.example/mcp';
const REQUEST = { method: 'POST', url: URL_OF_SERVER };
const MINUTE = 60_000;

let home = '';
let issuer: TokenServer;
let now = 0;
let undo: (() => void)[] = [];

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'pincer-tokens-'));
  issuer = await TokenServer.start();
  now = Date.now();
  undo = [];
});
afterEach(async () => {
  for (const each of undo) each();
  await issuer[Symbol.asyncDispose]();
  rmSync(home, { recursive: true, force: true });
});

const store = (): Grants => createGrants(openGrantFiles(home, {}));

const owner = (name: string | undefined) => (name === undefined ? undefined : { id: name, name });

/** The tokens of one process. */
function bench(auth: AuthSettings = {}, grants: Grants = store()) {
  const warnings: string[] = [];
  const note = (): void => undefined;
  const clock = { now: () => now, elapsed: () => now };
  let changes = 0;
  const tokens = createTokens({
    grants,
    renew: createRenewGrant({ fetch: createGuardedFetch({ limits: DEFAULT_LIMITS }), clock }),
    clock,
    log: { debug: note, info: note, error: note, warn: (message) => void warnings.push(message) },
    hint: (server, caller) => `Run pincer login ${server}${caller === undefined ? '' : ` as ${caller}`}.`,
    onChange: () => void changes++,
  });
  undo.push(() => tokens.close());
  const server = tokens.ofServer({ name: 's', url: URL_OF_SERVER, auth });
  const tokenOf = async (caller?: string): Promise<string | undefined> =>
    (await server.of(owner(caller)).authorize(REQUEST))?.headers['authorization']?.replace('Bearer ', '');
  return { tokens, server, tokenOf, warnings, changes: () => changes };
}

const grant = (rest: object = {}) => issuer.grant('s', URL_OF_SERVER, { obtainedAt: now, ...rest });

describe('the token of a request', () => {
  it('is undefined without a sign-in', async () => {
    const { server, tokenOf } = bench();
    expect(server.of().isSignedIn).toBe(false);
    expect(await tokenOf()).toBeUndefined();
  });

  it('is the sign-in’s, as long as it is valid', async () => {
    const signedIn = grant();
    await store().save(signedIn);
    const { server, tokenOf } = bench();
    expect(server.of().isSignedIn).toBe(true);
    expect(await tokenOf()).toBe(signedIn.accessToken);
    expect(issuer.asked).toHaveLength(0);
  });

  it.each([
    ['another address', { resource: 'https://mcp.example.evil/mcp' }],
    ['another path', { resource: 'https://mcp.example/other' }],
    ['another port', { resource: 'https://mcp.example:8443/mcp' }],
    ['another caller', { caller: 'other' }],
    ['another server', { server: 't' }],
  ])('is never one that was issued for %s', async (_, part) => {
    verifies('004-14-audience', '004-5.5-audience');
    const other = grant();
    await store().save({ ...other, key: { ...other.key, ...part } });
    expect(await bench().tokenOf()).toBeUndefined();
  });

  it.each([
    ['an hour', 60 * MINUTE, 59 * MINUTE],
    ['two minutes', 2 * MINUTE, 96_000],
    ['ten seconds', 10_000, 8_000],
  ])('is renewed in time with a lifetime of %s', async (_, lifetime, due) => {
    verifies('004-9.4-before-60s', '004-9.4-refresh-grant', '004-5.4-resource-token');
    const signedIn = grant({ expiresAt: now + lifetime });
    await store().save(signedIn);
    const { tokenOf } = bench();
    now += due - 1;
    expect(await tokenOf()).toBe(signedIn.accessToken);
    now += 1;
    const renewed = await tokenOf();
    expect(renewed).not.toBe(signedIn.accessToken);
    expect(issuer.accepts(renewed)).toBe(true);
    expect(Object.fromEntries(issuer.asked[0]!)).toEqual({
      grant_type: 'refresh_token',
      refresh_token: signedIn.refreshToken,
      client_id: 'pincer',
      resource: URL_OF_SERVER,
    });
  });

  it('is stored, sealed, before it is used', async () => {
    verifies('004-9.4-refresh-grant', '004-5.3-encrypted');
    await store().save(grant({ expiresAt: now }));
    const renewed = await bench().tokenOf();
    expect((await store().find('s', 'shared'))?.accessToken).toBe(renewed);
    const folder = join(home, 'tokens');
    for (const file of readdirSync(folder)) {
      const text = readFileSync(join(folder, file), 'latin1');
      expect(text).not.toContain(renewed);
      expect(text).not.toContain('refresh-');
    }
  });

  it('has one file for each server and caller, whose name depends on issuer and resource', async () => {
    verifies('004-5.3-token-file');
    const one = grant();
    const filesAfter = async (part: object): Promise<string[]> => {
      await store().save({ ...one, key: { ...one.key, ...part } });
      return readdirSync(join(home, 'tokens')).filter((name) => name.endsWith('.json'));
    };
    const [first] = await filesAfter({});
    expect(first).toMatch(/^[0-9a-f-]{20,}\.json$/);
    expect(await filesAfter({})).toEqual([first]);
    expect(await filesAfter({ server: 't' })).toHaveLength(2);
    expect(await filesAfter({ caller: 'me' })).toHaveLength(3);
    // Another issuer or resource replaces the earlier sign-in.
    for (const part of [{ issuer: 'https://other.example' }, { resource: 'https://mcp.example/other' }]) {
      const files = await filesAfter(part);
      expect(files).toHaveLength(3);
      expect(files).not.toContain(first);
    }
  });

  it('is not used before it is stored', async () => {
    const files = openGrantFiles(home, {});
    const signedIn = grant({ expiresAt: now });
    await createGrants(files).save(signedIn);
    let writes = 0;
    const { tokenOf } = bench(
      {},
      createGrants({
        ...files,
        // There was space before the request to the authorization server, and none after it.
        write: (name, file) =>
          ++writes === 2 ? Promise.reject(new Error('no space left')) : files.write(name, file),
      }),
    );
    await expect(tokenOf()).rejects.toThrow('no space left');
    const renewed = await tokenOf();
    expect(renewed).not.toBe(signedIn.accessToken);
    // The first renewal counts: a second one with the spent token would have ended the sign-in.
    expect(issuer.asked).toHaveLength(1);
    expect((await store().find('s', 'shared'))?.accessToken).toBe(renewed);
  });

  it('is not requested if it could not be stored: no refresh token is spent', async () => {
    const files = openGrantFiles(home, {});
    const signedIn = grant({ expiresAt: now + MINUTE });
    await createGrants(files).save(signedIn);
    const full = { ...files, write: () => Promise.reject(new Error('no space left')) };
    const { tokenOf } = bench({}, createGrants(full));
    now += 50_000;
    // The old one is still valid.
    expect(await tokenOf()).toBe(signedIn.accessToken);
    now += MINUTE;
    await expect(tokenOf()).rejects.toMatchObject({
      code: 'SERVER_UNREACHABLE',
      message: expect.stringContaining('no space left') as string,
    });
    expect(issuer.asked).toHaveLength(0);
    // With space again, the next process renews it.
    expect(issuer.accepts(await bench().tokenOf())).toBe(true);
  });

  it('keeps the refresh token and the scopes if the answer has none', async () => {
    await store().save(grant({ expiresAt: now }));
    issuer.refusal = { status: 200, body: { access_token: 'only', token_type: 'bearer' } };
    const { tokenOf } = bench();
    expect(await tokenOf()).toBe('only');
    const stored = await store().find('s', 'shared');
    expect(stored).toMatchObject({ accessToken: 'only', scopes: ['read'] });
    expect(stored?.refreshToken).toMatch(/^refresh-/);
    expect(stored).not.toHaveProperty('expiresAt');
  });

  it('proves its possession if the sign-in has a key (RFC 9449), with the server’s nonce', async () => {
    const { newDpopKey } = await import('../token/signing-keys.ts');
    const signedIn = grant({ dpop: { privateJwk: newDpopKey() } });
    await store().save(signedIn);
    const port = bench().server.of();
    const headers = (await port.authorize(REQUEST))?.headers;
    expect(headers?.['authorization']).toBe(`DPoP ${signedIn.accessToken}`);
    const claimsOf = (proof: string): Record<string, unknown> =>
      JSON.parse(Buffer.from(proof.split('.')[1]!, 'base64url').toString()) as Record<string, unknown>;
    expect(claimsOf(headers!['dpop']!)).toMatchObject({ htm: 'POST', htu: URL_OF_SERVER });
    const wanted = { 'www-authenticate': 'DPoP error="use_dpop_nonce"', 'dpop-nonce': 'n1' };
    expect(await port.renew(signedIn.accessToken, wanted)).toBe(true);
    expect(issuer.asked).toHaveLength(0);
    expect(claimsOf((await port.authorize(REQUEST))!.headers['dpop']!)).toMatchObject({ nonce: 'n1' });
  });
});

describe('of many simultaneous requests', () => {
  it('one renews, after expiry or a refusal of the server', async () => {
    verifies('004-9.4-rotation');
    const signedIn = grant({ expiresAt: now });
    await store().save(signedIn);
    const { server, tokenOf } = bench();
    const given = await Promise.all(Array.from({ length: 100 }, () => tokenOf()));
    expect(new Set(given).size).toBe(1);
    expect(issuer.asked).toHaveLength(1);
    issuer.revoke();
    const port = server.of();
    const renewed = await Promise.all(Array.from({ length: 100 }, () => port.renew(given[0]!)));
    expect(new Set(renewed)).toEqual(new Set([true]));
    expect(issuer.asked).toHaveLength(2);
    // A late request with the old token is told to use the new one.
    expect(await port.renew(given[0]!)).toBe(true);
    expect(issuer.asked).toHaveLength(2);
  });

  it('one process renews, and the others use its result', async () => {
    await store().save(grant({ expiresAt: now }));
    const processes = [bench(), bench(), bench()];
    const given = await Promise.all(
      processes.flatMap(({ tokenOf }) => Array.from({ length: 20 }, () => tokenOf())),
    );
    expect(new Set(given).size).toBe(1);
    expect(issuer.asked).toHaveLength(1);
    expect(issuer.accepts(given[0])).toBe(true);
  });
});

describe('a refused renewal', () => {
  it('ends the sign-in, keeps its record, and is logged once', async () => {
    await store().save(grant({ expiresAt: now }));
    issuer.revoke('all');
    const { server, tokenOf, warnings } = bench();
    const ended = expect.objectContaining({
      code: 'SIGN_IN_NEEDED',
      hint: 'Run pincer login s.',
    }) as unknown;
    for (const result of await Promise.allSettled(Array.from({ length: 20 }, () => tokenOf())))
      expect(result).toEqual({ status: 'rejected', reason: ended });
    await expect(tokenOf()).rejects.toEqual(ended);
    expect(await server.of().renew('any')).toBe(false);
    expect(issuer.asked).toHaveLength(1);
    expect(warnings).toEqual([expect.stringContaining('pincer login s')]);
    expect(await store().find('s', 'shared')).toMatchObject({ refused: 'invalid_grant', scopes: ['read'] });
    await expect(bench().tokenOf()).rejects.toEqual(ended);
  });

  it('is resolved by a new sign-in, in any process', async () => {
    await store().save(grant({ expiresAt: now }));
    issuer.revoke('all');
    const { server, tokenOf, changes } = bench();
    await expect(tokenOf()).rejects.toMatchObject({ code: 'SIGN_IN_NEEDED' });
    const again = grant();
    const before = changes();
    await store().save(again);
    expect(await eventually(() => changes() > before && server.of().isSignedIn, 10_000)).toBe(true);
    expect(await tokenOf()).toBe(again.accessToken);
  });

  it('after a refusal of the server itself is not retried at once', async () => {
    const signedIn = grant();
    await store().save(signedIn);
    const { server, tokenOf } = bench();
    const port = server.of();
    expect(await port.renew((await tokenOf())!)).toBe(true);
    const renewed = (await tokenOf())!;
    expect(renewed).not.toBe(signedIn.accessToken);
    expect(await port.renew(renewed)).toBe(false);
    expect(issuer.asked).toHaveLength(1);
    now += MINUTE;
    expect(await port.renew(renewed)).toBe(true);
    expect(issuer.asked).toHaveLength(2);
  });
});

describe('an unavailable authorization server', () => {
  it.each([
    ['is broken', { status: 503, body: 'later' }],
    ['is temporarily unavailable', { status: 400, body: { error: 'temporarily_unavailable' } }],
    ['answers with a page', { status: 200, body: 'a page' }],
  ])('that %s leaves a valid token in use', async (_, refusal) => {
    const signedIn = grant({ expiresAt: now + 2 * MINUTE });
    await store().save(signedIn);
    const { tokenOf } = bench();
    issuer.refusal = refusal;
    now += MINUTE + 40_000;
    expect(await Promise.all([tokenOf(), tokenOf(), tokenOf()])).toEqual(Array(3).fill(signedIn.accessToken));
    expect(issuer.asked).toHaveLength(1);
    now += 10_000;
    expect(await tokenOf()).toBe(signedIn.accessToken);
    expect(issuer.asked).toHaveLength(2);
    now += 10_000;
    await expect(tokenOf()).rejects.toMatchObject({ code: 'SERVER_UNREACHABLE' });
    issuer.refusal = undefined;
    expect(issuer.accepts(await tokenOf())).toBe(true);
  });

  it('requires no new sign-in after a refusal of the server', async () => {
    const signedIn = grant();
    await store().save(signedIn);
    issuer.refusal = { status: 500, body: '' };
    const { server } = bench();
    await expect(server.of().renew(signedIn.accessToken)).rejects.toMatchObject({
      code: 'SERVER_UNREACHABLE',
    });
    expect((await store().find('s', 'shared'))?.refused).toBeUndefined();
  });
});

describe('signing out', () => {
  it('removes the token, and a pending renewal does not restore it', async () => {
    await store().save(grant({ expiresAt: now }));
    const { tokenOf } = bench();
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    issuer.gate = gate;
    const renewing = tokenOf();
    expect(await eventually(() => issuer.asked.length === 1, 10_000)).toBe(true);
    const removing = store().remove('s', 'shared');
    open();
    await renewing;
    await removing;
    expect(await store().list()).toEqual([]);
  });
});

describe('with separate sign-ins', () => {
  it('no caller gets the token of another', async () => {
    const mine = grant();
    const yours = grant();
    await store().save({ ...mine, key: { ...mine.key, caller: 'me' } });
    await store().save({ ...yours, key: { ...yours.key, caller: 'you' } });
    const { server, tokenOf } = bench({ identity: 'per-caller' });
    expect([await tokenOf('me'), await tokenOf('you'), await tokenOf('other')]).toEqual([
      mine.accessToken,
      yours.accessToken,
      undefined,
    ]);
    expect(server.of(owner('me'))).toBe(server.of(owner('me')));
  });

  it('swapped files are refused, even though each is sealed', async () => {
    const [ann, bob] = [grant(), grant()].map((each, index) => ({
      ...each,
      key: { ...each.key, caller: index === 0 ? 'ann' : 'bob' },
    }));
    await store().save(ann!);
    await store().save(bob!);
    const [one, two] = readdirSync(join(home, 'tokens')).map((file) => join(home, 'tokens', file));
    const text = readFileSync(one!);
    writeFileSync(one!, readFileSync(two!));
    writeFileSync(two!, text);
    const { tokenOf } = bench({ identity: 'per-caller' });
    for (const caller of ['ann', 'bob'])
      await expect(tokenOf(caller)).rejects.toMatchObject({ code: 'VAULT_UNREADABLE' });
    expect(await tokenOf()).toBeUndefined();
  });

  it('requests for all callers use the oldest valid sign-in', async () => {
    const first = grant({ obtainedAt: now - 2, refused: 'invalid_grant' });
    const second = grant({ obtainedAt: now - 1 });
    await store().save({ ...first, key: { ...first.key, caller: 'a' } });
    await store().save({ ...second, key: { ...second.key, caller: 'b' } });
    expect(await bench({ identity: 'per-caller' }).tokenOf()).toBe(second.accessToken);
  });
});

describe('a removed caller', () => {
  it('loses all sign-ins, and others keep theirs', async () => {
    for (const [server, caller] of [
      ['s', 'ann'],
      ['t', 'ann'],
      ['s', 'bob'],
    ] as const) {
      const given = issuer.grant(server, URL_OF_SERVER);
      await store().save({ ...given, key: { ...given.key, caller } });
    }
    await store().forgetCaller('ann');
    expect((await store().list()).map(({ key }) => key.caller)).toEqual(['bob']);
  });
});

describe('missing scopes', () => {
  it('are stored for the next sign-in, each once', async () => {
    await store().save(grant());
    const port = bench().server.of();
    await port.lack(['write', 'admin']);
    await port.lack(['write']);
    expect((await store().find('s', 'shared'))?.wanted).toEqual(['write', 'admin']);
    expect(port.grant?.wanted).toEqual(['write', 'admin']);
  });

  it('are limited in number, and include the latest', async () => {
    await store().save(grant());
    const port = bench().server.of();
    for (let each = 0; each < 3; each++)
      await port.lack(Array.from({ length: 90 }, (_, index) => `${each}-${index}`));
    const { wanted } = (await store().find('s', 'shared'))!;
    expect(wanted).toHaveLength(100);
    expect(wanted).toContain('2-89');
  });
});

describe('a client with its own credential', () => {
  it('renews its token like the first one', async () => {
    const { refreshToken: _, ...own } = grant({ expiresAt: now });
    await store().save({
      ...own,
      client: {
        clientId: 'robot',
        clientSecret: 's3cret',
        authMethod: 'client_secret_basic',
        how: 'configured',
      },
    });
    expect(issuer.accepts(await bench({ flow: 'client' }).tokenOf())).toBe(true);
    expect(Object.fromEntries(issuer.asked[0]!)).toEqual({
      grant_type: 'client_credentials',
      scope: 'read',
      resource: URL_OF_SERVER,
    });
  });
});
