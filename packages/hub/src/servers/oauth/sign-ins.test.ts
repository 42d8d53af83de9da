import { createHash, generateKeyPairSync } from 'node:crypto';
import { calculateJwkThumbprint, decodeJwt, type JWK } from 'jose';
import { afterEach, describe, expect, it } from 'vitest';
import {
  startAuthorizationServer,
  type AuthorizationServer,
  type AuthorizationServerOptions,
} from '../../../../../test/servers/sign-in/authorization-server.ts';
import {
  startHandIssuer,
  startHandResource,
  type HandIssuer,
} from '../../../../../test/servers/sign-in/fake-issuer.ts';
import { typeCode, visit } from '../../../../../test/servers/sign-in/headless-browser.ts';
import { memoryGrants } from '../../../../../test/kit/memory-grants.ts';
import { PincerError } from '../../core/errors.ts';
import { DEFAULT_LIMITS } from '../../core/limits.ts';
import type { AuthSettings } from './client/settings.ts';
import type { GrantStore } from './grant.ts';
import { createGuardedFetch } from './guard/guarded-fetch.ts';
import { createSignIns, type SignIns } from './sign-ins.ts';
import { servePages, type Pages } from '../../../../../test/kit/pages.ts';
import { verifies } from '../../../../../test/verifies.ts';

const DOCUMENT = 'https://pincer.example.com/client.json';
const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code';
const REDIRECTS = ['http://127.0.0.1/callback'];

interface Scene extends AsyncDisposable {
  readonly issuer: AuthorizationServer;
  readonly server: Pages;
  readonly grants: ReturnType<typeof memoryGrants>;
  readonly signIns: SignIns;
  readonly changed: string[];
  readonly opened: string[];
}

interface SceneOptions extends Partial<AuthorizationServerOptions> {
  readonly signInMs?: number;
  readonly auth?: AuthSettings;
  readonly clientMetadataUrl?: string;
}

const scenes: AsyncDisposable[] = [];
afterEach(async () => {
  for (const scene of scenes.splice(0)) await scene[Symbol.asyncDispose]();
});

/** A server that names its authorization server, and nothing else. */
async function open({
  auth = {},
  clientMetadataUrl,
  signInMs,
  ...options
}: SceneOptions = {}): Promise<Scene> {
  const server = await servePages();
  const url = `${server.origin}/mcp`;
  const issuer = await startAuthorizationServer({ resources: () => ({ [url]: 'mcp admin' }), ...options });
  server.set('/.well-known/oauth-protected-resource/mcp', {
    resource: url,
    authorization_servers: [issuer.issuer],
    scopes_supported: ['mcp'],
  });
  const grants = memoryGrants();
  const changed: string[] = [];
  const opened: string[] = [];
  const signIns = createSignIns({
    store: grants,
    fetch: createGuardedFetch({ limits: DEFAULT_LIMITS }),
    clock: { now: () => Date.now(), elapsed: () => performance.now() },
    log: { debug: noop, info: noop, warn: noop, error: noop },
    limits: { signInMs: signInMs ?? DEFAULT_LIMITS.signInMs },
    target: () => ({ url: new URL(url), headers: {}, auth }),
    clientMetadataUrl: () => clientMetadataUrl,
    openBrowser: async (link) => opened.push(link) > 0,
    onChanged: (name, caller) => changed.push(`${name} ${caller}`),
  });
  const scene: Scene = {
    issuer,
    server,
    grants,
    signIns,
    changed,
    opened,
    async [Symbol.asyncDispose]() {
      signIns.stop();
      await issuer[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
  scenes.push(scene);
  return scene;
}

const noop = (): void => undefined;

describe('signing in with a browser', () => {
  it('registers, opens the link, and stores the grant', async () => {
    verifies(
      '004-5.2-dynamic',
      '004-9.2-metadata-fields',
      '004-9.2-token-response',
      '004-9.3-browser',
      '004-9.3-callback',
    );
    const { signIns, grants, issuer, server, changed, opened } = await open();
    const { link, ended, hasOpenedBrowser } = await signIns.begin('docs', { openBrowser: true });
    expect({ hasOpenedBrowser, opened }).toEqual({ hasOpenedBrowser: true, opened: [link] });
    expect(link).toMatch(new RegExp(`^${issuer.issuer}/auth\\?`));
    const { page } = await visit(link!);
    expect(issuer.requests).toContain('POST /reg');
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining('Signed in') as string });
    const outcome = await ended;
    expect(issuer.errors).toEqual([]);
    expect(outcome.ok).toBe(true);
    const grant = await grants.find('docs', 'shared');
    expect(grant).toMatchObject({
      key: { server: 'docs', issuer: issuer.issuer, resource: `${server.origin}/mcp`, caller: 'shared' },
      client: { how: 'dynamic', authMethod: 'none' },
      tokenEndpoint: `${issuer.issuer}/token`,
      scopes: ['mcp'],
      sendsResource: true,
    });
    expect(grant?.refreshToken).toEqual(expect.any(String));
    expect(changed).toEqual(['docs shared']);
    expect(signIns.count).toBe(0);
  });

  it('uses PKCE, a state of 128 bits and the resource, at authorization and at exchange', async () => {
    verifies(
      '004-5.4-pkce-s256',
      '004-5.4-resource-authorize',
      '004-5.4-resource-token',
      '004-5.5-redirect-uri',
      '004-9.2-verifier',
      '004-9.2-authorize-params',
      '004-9.2-token-params',
    );
    const { signIns, issuer, server } = await open();
    const { link, state } = await signIns.begin('docs');
    const asked = new URL(link!).searchParams;
    expect(Buffer.from(state, 'base64url')).toHaveLength(16);
    expect(Object.fromEntries(asked)).toMatchObject({
      response_type: 'code',
      client_id: expect.any(String) as string,
      code_challenge: expect.any(String) as string,
      code_challenge_method: 'S256',
      state,
      resource: `${server.origin}/mcp`,
      scope: 'mcp offline_access',
      redirect_uri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/) as string,
    });
    const { callback } = await visit(link!);
    const exchanged = Object.fromEntries(issuer.tokenRequests[0]!);
    expect(exchanged).toMatchObject({
      grant_type: 'authorization_code',
      code: callback.searchParams.get('code'),
      redirect_uri: asked.get('redirect_uri'),
      resource: `${server.origin}/mcp`,
    });
    const digest = createHash('sha256').update(exchanged['code_verifier']!).digest('base64url');
    expect(asked.get('code_challenge')).toBe(digest);
  });

  it('omits the resource if configured', async () => {
    const { signIns, grants } = await open({ auth: { resource: 'omit', scopes: ['openid'] } });
    const { link, ended } = await signIns.begin('docs');
    expect(new URL(link!).searchParams.has('resource')).toBe(false);
    await visit(link!);
    expect((await ended).ok).toBe(true);
    expect((await grants.find('docs', 'shared'))?.sendsResource).toBe(false);
  });

  it('ends when it is cancelled: a returning browser does not sign in', async () => {
    const { signIns, grants, changed } = await open();
    const { link, ended } = await signIns.begin('docs');
    signIns.cancel('docs');
    expect(await ended).toMatchObject({ ok: false, error: { code: 'CALL_CANCELLED' } });
    await visit(link!).catch(noop);
    expect(await grants.find('docs', 'shared')).toBeUndefined();
    expect({ changed, count: signIns.count }).toEqual({ changed: [], count: 0 });
    const beginning = signIns.begin('docs');
    signIns.cancel('docs');
    expect(await (await beginning).ended).toMatchObject({ ok: false });
  });

  it('returns the same link while a sign-in is in progress, also to simultaneous requests', async () => {
    const { signIns, issuer } = await open();
    const all = await Promise.all([signIns.begin('docs'), signIns.begin('docs'), signIns.begin('docs')]);
    const again = await signIns.begin('docs');
    expect(new Set([...all, again].map(({ link }) => link)).size).toBe(1);
    expect(issuer.requests.filter((request) => request === 'POST /reg')).toHaveLength(1);
  });

  it('uses the client that the person registered', async () => {
    verifies('004-5.2-preregistered', '004-5.3-client-credentials', '004-12.1-auth-client-id');
    const clients = [{ client_id: 'mine', application_type: 'native', redirect_uris: REDIRECTS }];
    const { signIns, grants, issuer } = await open({ clients, auth: { clientId: 'mine' } });
    const { link, ended } = await signIns.begin('docs');
    await visit(link!);
    expect(await ended).toMatchObject({ ok: true });
    expect(await grants.find('docs', 'shared')).toMatchObject({
      client: { clientId: 'mine', how: 'configured', authMethod: 'none' },
    });
    expect(issuer.requests).not.toContain('POST /reg');
  });

  it('authenticates with the configured secret', async () => {
    verifies('004-5.2-preregistered', '004-12.1-auth-client-secret');
    const clients = [
      {
        client_id: 'mine',
        client_secret: 'a%secret+with:colon&more/',
        application_type: 'native',
        redirect_uris: REDIRECTS,
        token_endpoint_auth_method: 'client_secret_basic',
      },
    ];
    const auth = { clientId: 'mine', clientSecret: 'a%secret+with:colon&more/' };
    const { signIns } = await open({ clients, auth });
    const { link, ended } = await signIns.begin('docs');
    await visit(link!);
    expect(await ended).toMatchObject({ ok: true, grant: { client: { authMethod: 'client_secret_basic' } } });
  });

  it('prefers the hosted metadata document to a registration', async () => {
    verifies('004-5.2-metadata-document');
    const documents = {
      [DOCUMENT]: {
        client_id: DOCUMENT,
        client_name: 'Pincer',
        application_type: 'native',
        redirect_uris: REDIRECTS,
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      },
    };
    const { signIns, issuer } = await open({ documents, clientMetadataUrl: DOCUMENT });
    const { link, ended } = await signIns.begin('docs');
    await visit(link!);
    expect(await ended).toMatchObject({ ok: true, grant: { client: { how: 'metadata-document' } } });
    expect(issuer.requests).not.toContain('POST /reg');
  });

  it('gives a hint if programs cannot register', async () => {
    const { signIns } = await open({ registration: false });
    await expect(signIns.begin('docs')).rejects.toMatchObject({
      code: 'SIGN_IN_FAILED',
      hint: expect.stringMatching(/Register Pincer there.*pincer set docs auth\.clientId/) as string,
    });
    expect(signIns.count).toBe(0);
  });

  it('uses the same port and registration again', async () => {
    verifies('004-5.2-dynamic', '004-5.3-client-credentials');
    const { signIns, issuer } = await open();
    const ports: string[] = [];
    for (let round = 0; round < 2; round++) {
      const { link, ended } = await signIns.begin('docs');
      ports.push(new URL(new URL(link!).searchParams.get('redirect_uri')!).port);
      await visit(link!);
      expect((await ended).ok).toBe(true);
    }
    expect(ports[0]).toBe(ports[1]);
    expect(issuer.requests.filter((request) => request === 'POST /reg')).toHaveLength(1);
  });
});

describe('a registration that the authorization server has forgotten', () => {
  it('is renewed after a sign-in with it failed', async () => {
    const { signIns, issuer, grants } = await open();
    const registrations = (): number => issuer.requests.filter((request) => request === 'POST /reg').length;
    const first = await signIns.begin('docs');
    await visit(first.link!);
    await first.ended;
    const kept = (await grants.find('docs', 'shared'))!;
    await grants.save({ ...kept, client: { ...kept.client, clientId: 'forgotten' } });
    const second = await signIns.begin('docs');
    await expect(visit(second.link!)).rejects.toThrow(/invalid_client/);
    signIns.stop();
    await second.ended;
    expect(registrations()).toBe(1);
    const third = await signIns.begin('docs');
    await visit(third.link!);
    expect(await third.ended).toMatchObject({ ok: true });
    expect(registrations()).toBe(2);
  });

  it('is renewed at once if a token renewal reported that', async () => {
    const { signIns, grants } = await open();
    const first = await signIns.begin('docs');
    await visit(first.link!);
    await first.ended;
    const kept = (await grants.find('docs', 'shared'))!;
    const client = { ...kept.client, clientId: 'forgotten' };
    await grants.save({ ...kept, client, refused: 'invalid_client' });
    const second = await signIns.begin('docs');
    await visit(second.link!);
    expect(await second.ended).toMatchObject({ ok: true });
  });
});

describe('entering the code', () => {
  it('accepts the whole address that a browser elsewhere was sent to', async () => {
    const { signIns } = await open();
    const { link, ended } = await signIns.begin('docs');
    const { callback } = await visit(link!, { goesBack: false });
    const grant = await signIns.complete('docs', ` ${callback.href}\n`);
    expect(await ended).toEqual({ ok: true, grant });
  });

  it('sends a code once, even if it is entered twice', async () => {
    const { signIns, issuer } = await open();
    const { link } = await signIns.begin('docs');
    const { callback } = await visit(link!, { goesBack: false });
    const [one, two, page] = await Promise.all([
      signIns.complete('docs', callback.href),
      signIns.complete('docs', callback.searchParams.get('code')!),
      fetch(callback).then((response) => response.text()),
    ]);
    expect(two).toBe(one);
    expect(page).toContain('Signed in');
    expect(issuer.tokenRequests).toHaveLength(1);
  });

  it('accepts the bare code', async () => {
    const { signIns } = await open();
    const { link } = await signIns.begin('docs');
    const { callback } = await visit(link!, { goesBack: false });
    expect(await signIns.complete('docs', callback.searchParams.get('code')!)).toMatchObject({
      scopes: ['mcp'],
    });
  });

  it('never sends a code of another sign-in or issuer, and continues', async () => {
    const { signIns, issuer } = await open();
    const { link } = await signIns.begin('docs');
    const { callback } = await visit(link!, { goesBack: false });
    for (const [name, value] of [
      ['state', 'forged'],
      ['iss', 'https://evil.example.com'],
      ['iss', ''],
    ] as const) {
      const forged = new URL(callback);
      if (value === '') forged.searchParams.delete(name);
      else forged.searchParams.set(name, value);
      await expect(signIns.complete('docs', forged.href)).rejects.toMatchObject({ code: 'SIGN_IN_FAILED' });
    }
    expect(issuer.tokenRequests).toEqual([]);
    expect(await signIns.complete('docs', callback.href)).toMatchObject({ scopes: ['mcp'] });
  });

  it('fails if no sign-in is in progress', async () => {
    const { signIns } = await open();
    await expect(signIns.complete('docs', 'a-code')).rejects.toThrow(/No sign-in to "docs" is in progress/);
  });
});

describe('without a browser here', () => {
  it('signs in with Pincer’s own secret', async () => {
    const clients = [
      {
        client_id: 'machine',
        client_secret: 'hush',
        redirect_uris: [],
        response_types: [],
        grant_types: ['client_credentials'],
        token_endpoint_auth_method: 'client_secret_basic',
      },
    ];
    const auth = { flow: 'client', clientId: 'machine', clientSecret: 'hush' } as const;
    const { signIns } = await open({ clients, auth });
    const { link, ended } = await signIns.begin('docs');
    expect(link).toBeUndefined();
    expect(await ended).toMatchObject({ ok: true, grant: { scopes: ['mcp'] } });
  });

  it('signs in with Pincer’s own key', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { d: _, ...publicKey } = privateKey.export({ format: 'jwk' });
    const clients = [
      {
        client_id: 'machine',
        redirect_uris: [],
        response_types: [],
        grant_types: ['client_credentials'],
        token_endpoint_auth_method: 'private_key_jwt',
        token_endpoint_auth_signing_alg: 'ES256',
        jwks: { keys: [publicKey] },
      },
    ];
    const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
    const { signIns } = await open({
      clients,
      auth: { flow: 'client', clientId: 'machine', privateKey: pem },
    });
    const { ended } = await signIns.begin('docs');
    expect(await ended).toMatchObject({ ok: true, grant: { client: { authMethod: 'private_key_jwt' } } });
  });

  it('names a missing setting', async () => {
    const { signIns } = await open({ auth: { flow: 'client', clientId: 'machine' } });
    await expect(signIns.begin('docs')).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });
});

describe('with a browser on another device', () => {
  it('returns a link and a code, and polls until the person agrees', async () => {
    const clients = [
      {
        client_id: 'tv',
        redirect_uris: [],
        response_types: [],
        grant_types: [DEVICE, 'refresh_token'],
        application_type: 'native',
      },
    ];
    const { signIns, issuer } = await open({ clients, auth: { flow: 'device', clientId: 'tv' } });
    const { link, userCode, ended } = await signIns.begin('docs');
    expect(new URL(link!).origin).toBe(issuer.issuer);
    expect(userCode).toMatch(/^[A-Z]{4}-[A-Z]{4}$/);
    await expect(signIns.complete('docs', 'a-code')).rejects.toMatchObject({ code: 'USAGE' });
    expect(await typeCode(link!, userCode!)).toBe('agreed');
    expect(await ended).toMatchObject({
      ok: true,
      grant: { scopes: ['mcp'], refreshToken: expect.any(String) },
    });
    expect(issuer.tokenRequests.at(-1)?.get('grant_type')).toBe(DEVICE);
  }, 30_000);

  it('fails if the authorization server does not support it', async () => {
    const { signIns, server } = await open({ auth: { flow: 'device', clientId: 'tv' } });
    server.set('/.well-known/oauth-authorization-server', {
      issuer: server.origin,
      token_endpoint: `${server.origin}/token`,
    });
    server.set('/.well-known/oauth-protected-resource/mcp', {
      resource: `${server.origin}/mcp`,
      authorization_servers: [server.origin],
    });
    await expect(signIns.begin('docs')).rejects.toThrow(/does not support signing in on another device/);
  });
});

describe('with DPoP', () => {
  it.each([false, true])(
    'the token is bound to a key, also if the authorization server requires a nonce: %s',
    async (requireNonce) => {
      const { signIns } = await open({ requireNonce, auth: { dpop: true } });
      const { link, ended } = await signIns.begin('docs');
      await visit(link!);
      const outcome = await ended;
      if (!outcome.ok) throw outcome.error;
      const { dpop, accessToken } = outcome.grant;
      const { cnf } = decodeJwt<{ cnf: { jkt: string } }>(accessToken);
      expect(cnf.jkt).toBe(await calculateJwkThumbprint(dpop!.privateJwk as JWK));
    },
  );
});

describe('with separate sign-ins', () => {
  it('each caller has its own link and grant', async () => {
    verifies('004-9.3-temporary-server');
    const { signIns, grants, changed } = await open({ auth: { identity: 'per-caller' } });
    const one = await signIns.begin('docs', { caller: 'one' });
    const two = await signIns.begin('docs', { caller: 'two' });
    expect(one.link).not.toBe(two.link);
    const [portOfOne, portOfTwo] = [one, two].map(
      ({ link }) => new URL(new URL(link!).searchParams.get('redirect_uri')!).port,
    );
    expect(portOfOne).not.toBe(portOfTwo);
    await visit(one.link!);
    await one.ended;
    expect(await grants.find('docs', 'one')).toMatchObject({ key: { caller: 'one' } });
    expect(await grants.find('docs', 'two')).toBeUndefined();
    expect(changed).toEqual(['docs one']);
    expect((await signIns.begin('docs', { caller: 'two' })).link).toBe(two.link);
  });
});

describe('a caller whose token was removed', () => {
  it('loses its sign-ins, here and at the authorization server', async () => {
    const { signIns, grants, issuer } = await open({ auth: { identity: 'per-caller' } });
    for (const caller of ['one', 'two']) {
      const { link, ended } = await signIns.begin('docs', { caller });
      await visit(link!);
      await ended;
    }
    await signIns.forgetCaller('one');
    expect([...grants.all.values()].map(({ key }) => key.caller)).toEqual(['two']);
    expect(issuer.requests).toContain('POST /token/revocation');
  });
});

describe('more scopes', () => {
  it('are requested together with the granted ones, at most twice', async () => {
    verifies('004-9.5-two-attempts', '004-9.5-expanded');
    const { signIns, grants } = await open();
    const first = await signIns.begin('docs');
    await visit(first.link!);
    await first.ended;
    for (let round = 0; round < 2; round++) {
      const grant = (await grants.find('docs', 'shared'))!;
      await grants.save({ ...grant, scopes: ['mcp'], wanted: ['admin'] });
      const { link, ended } = await signIns.begin('docs');
      expect(new URL(link!).searchParams.get('scope')).toBe('mcp admin offline_access');
      await visit(link!);
      expect(await ended).toMatchObject({ ok: true });
    }
    const grant = (await grants.find('docs', 'shared'))!;
    expect(grant.wanted).toBeUndefined();
    await grants.save({ ...grant, scopes: ['mcp'], wanted: ['admin'] });
    await expect(signIns.begin('docs')).rejects.toThrow(/still requires them/);
  });
});

describe('a sign-in that is not completed', () => {
  it('ends after a while, and its port is free again', async () => {
    verifies('004-9.3-server-closed');
    const { signIns } = await open({ signInMs: 200 });
    const { link, ended } = await signIns.begin('docs');
    expect(await ended).toMatchObject({ ok: false, error: { message: expect.stringMatching(/in time/) } });
    expect(signIns.count).toBe(0);
    const redirect = new URL(link!).searchParams.get('redirect_uri')!;
    await expect(fetch(redirect)).rejects.toThrow();
  });
});

describe('signing out', () => {
  it('removes the grant, and revokes it at the authorization server', async () => {
    const { signIns, grants, issuer, changed } = await open();
    const { link, ended } = await signIns.begin('docs');
    await visit(link!);
    await ended;
    expect(await signIns.signOut('docs')).toEqual({ wasSignedIn: true, wasRevoked: true });
    expect(await grants.find('docs', 'shared')).toBeUndefined();
    expect(issuer.requests).toContain('POST /token/revocation');
    expect(changed).toHaveLength(2);
    expect(await signIns.signOut('docs')).toEqual({ wasSignedIn: false, wasRevoked: false });
  });
});

describe('a server that changes its authorization server', () => {
  /** Two authorization servers; the server names the first, and later the other. */
  async function move(auth: AuthSettings, store: GrantStore = memoryGrants()) {
    const [first, other] = [await startHandIssuer(), await startHandIssuer()];
    const server = await startHandResource(first.origin);
    const url = new URL(`${server.origin}/mcp`);
    const signIns = createSignIns({
      store,
      fetch: createGuardedFetch({ limits: DEFAULT_LIMITS }),
      clock: { now: () => Date.now(), elapsed: () => performance.now() },
      log: { debug: noop, info: noop, warn: noop, error: noop },
      limits: DEFAULT_LIMITS,
      target: () => ({ url, headers: {}, auth }),
      clientMetadataUrl: () => undefined,
      openBrowser: async () => false,
      onChanged: noop,
    });
    const dispose = async (): Promise<void> => {
      for (const each of [first, other, server]) await each[Symbol.asyncDispose]();
    };
    scenes.push({ [Symbol.asyncDispose]: dispose });
    const says = (issuer: HandIssuer): void =>
      server.set('/.well-known/oauth-protected-resource/mcp', {
        resource: url.href,
        authorization_servers: [issuer.origin],
      });
    return { first, other, signIns, says };
  }

  it.each<[string, AuthSettings]>([
    ['a secret', { flow: 'client', clientId: 'batch', clientSecret: 'hush' }],
    ['the workload token', { flow: 'workload', clientId: 'batch', workload: { token: 'hush' } }],
  ])('does not get %s sent to the other', async (_, auth) => {
    const { first, other, signIns, says } = await move(auth);
    expect(await (await signIns.begin('s')).ended).toMatchObject({ ok: true });
    expect(first.requests).toContain('POST /token');
    says(other);
    await expect(signIns.begin('s')).rejects.toMatchObject({
      code: 'SIGN_IN_FAILED',
      message: expect.stringContaining('was not sent') as string,
      hint: expect.stringContaining('auth.authorizationServerUrl') as string,
    });
    expect(other.requests).not.toContain('POST /token');
  });

  it('keeps the existing sign-in until the new one is stored', async () => {
    verifies('004-9.3-server-closed');
    const store = memoryGrants();
    const { other, signIns, says } = await move({}, store);
    await visit((await signIns.begin('s')).link!);
    const before = await store.find('s', 'shared');
    says(other);
    store.save = () => Promise.reject(new Error('no space left'));
    const second = await signIns.begin('s');
    await visit(second.link!);
    expect(await second.ended).toMatchObject({ ok: false });
    expect(await store.find('s', 'shared')).toBe(before);
    await expect(fetch(new URL(second.link!).searchParams.get('redirect_uri')!)).rejects.toThrow();
  });
});

describe('a hub that stops', () => {
  it('ends a sign-in that was just starting', async () => {
    const { signIns } = await open();
    const beginning = signIns.begin('docs');
    signIns.stop();
    const { link, ended } = await beginning;
    expect(await ended).toMatchObject({ ok: false });
    const redirect = new URL(link!).searchParams.get('redirect_uri')!;
    await expect(fetch(redirect)).rejects.toThrow();
    expect(signIns.count).toBe(0);
  });
});

describe('an unreadable sign-in', () => {
  it('can be signed out', async () => {
    const { signIns, grants } = await open();
    const { link } = await signIns.begin('docs');
    await visit(link!);
    grants.find = () => Promise.reject(new PincerError('VAULT_UNREADABLE', 'A sign-in is damaged.'));
    expect(await signIns.signOut('docs')).toEqual({ wasSignedIn: true, wasRevoked: false });
    expect(grants.all.size).toBe(0);
  });
});

describe('an authorization server whose answer is lost once', () => {
  /** Closes the connection of the first token request. */
  async function hangUpOnce(auth: AuthSettings) {
    const issuer = await startHandIssuer();
    const server = await startHandResource(issuer.origin);
    scenes.push(issuer, server);
    const device = { verification_uri: `${issuer.origin}/d`, interval: 1, expires_in: 60 };
    issuer.say({ device_authorization_endpoint: `${issuer.origin}/device` });
    issuer.set('/device', { ...device, device_code: 'd', user_code: 'u' });
    let asked = 0;
    issuer.set('/token', (request, response) => {
      if (++asked === 1) request.socket.destroy();
      else response.end(JSON.stringify(issuer.token));
    });
    const signIns = createSignIns({
      store: memoryGrants(),
      fetch: createGuardedFetch({ limits: DEFAULT_LIMITS }),
      clock: { now: () => Date.now(), elapsed: () => performance.now() },
      log: { debug: noop, info: noop, warn: noop, error: noop },
      limits: DEFAULT_LIMITS,
      target: () => ({ url: new URL(`${server.origin}/mcp`), headers: {}, auth }),
      clientMetadataUrl: () => undefined,
      openBrowser: async () => false,
      onChanged: noop,
    });
    return { signIns, begun: await signIns.begin('s') };
  }

  it('is asked again after the person agreed on another device', async () => {
    const { begun } = await hangUpOnce({ flow: 'device', clientId: 'c' });
    expect(await begun.ended).toMatchObject({ ok: true });
  });

  it('is asked again when the same code is entered again', async () => {
    const { signIns, begun } = await hangUpOnce({});
    await expect(signIns.complete('s', 'a-code')).rejects.toMatchObject({ code: 'SIGN_IN_FAILED' });
    await signIns.complete('s', 'a-code');
    expect(await begun.ended).toMatchObject({ ok: true });
  });
});
