import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { event, HandServer, json, status, stream, type Answer } from '../../../../test/kit/fake-server.ts';
import { HandExchange, toolRequest } from '../../../../test/kit/fake-wire.ts';
import { TokenServer } from '../../../../test/kit/token-server.ts';
import { verifies } from '../../../../test/verifies.ts';
import { parseConfig } from '../config/load.ts';
import { DEFAULT_LIMITS } from '../core/limits.ts';
import type { Outcome } from '../core/outcome.ts';
import { openGrantFiles } from '../owner/grant-files.ts';
import type { Grant } from './oauth/grant.ts';
import { createGrants, type Grants } from './oauth/grants/grant-store.ts';
import { createRenewGrant } from './oauth/grants/renew-grant.ts';
import { createTokens } from './oauth/grants/tokens.ts';
import { createGuardedFetch } from './oauth/guard/guarded-fetch.ts';
import { createRemoteSource, type RemoteSource } from './source.ts';

const INITIALIZED =
  '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}';
const TOOLS = '{"tools":[{"name":"x","inputSchema":{"type":"object"}}]}';

let home = '';
let web: HandServer;
let issuer: TokenServer;
let sources: RemoteSource[] = [];
let undo: (() => void)[] = [];
let logged: string[] = [];

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'pincer-sign-in-'));
  web = await HandServer.start();
  issuer = await TokenServer.start();
  [sources, undo, logged] = [[], [], []];
  const guarded =
    (answer: Answer): Answer =>
    (received, response) => {
      if (issuer.accepts(received.headers.authorization)) return answer(received, response);
      response.writeHead(401, { 'www-authenticate': 'Bearer error="invalid_token"' }).end('who?');
    };
  web.answers['server/discover'] = guarded(status(404));
  web.answers['initialize'] = guarded(json(INITIALIZED, { 'mcp-session-id': 'one' }));
  web.answers['notifications/initialized'] = guarded(status(202));
  web.answers['tools/list'] = guarded(json(TOOLS));
  web.answers['tools/call'] = guarded(json('{"content":[]}'));
  web.answers['GET'] = guarded(status(405));
  web.answers['DELETE'] = guarded(status(200));
});
afterEach(async () => {
  for (const each of undo) each();
  await Promise.all(sources.map((source) => source.stop()));
  await web.stop();
  await issuer[Symbol.asyncDispose]();
  rmSync(home, { recursive: true, force: true });
});

const store = (): Grants => createGrants(openGrantFiles(home, {}));
const address = (): string => `${web.origin}/mcp`;
const grant = (rest: Partial<Grant> = {}, caller = 'shared'): Grant => {
  const made = issuer.grant('s', address(), rest);
  return { ...made, key: { ...made.key, caller } };
};

function open(config: object = {}): RemoteSource {
  const clock = { now: () => Date.now(), elapsed: () => performance.now() };
  const note = (message: string, fields?: object): void =>
    void logged.push(`${message} ${JSON.stringify(fields ?? {})}`);
  const log = { debug: note, info: note, warn: note, error: note };
  const settings = parseConfig({ servers: { s: { url: address(), ...config } } }, {}).servers['s']!;
  const tokens = createTokens({
    grants: store(),
    renew: createRenewGrant({ fetch: createGuardedFetch({ limits: DEFAULT_LIMITS }), clock }),
    clock,
    log,
    hint: (server, caller) => `login ${server}${caller === undefined ? '' : ` as ${caller}`}`,
    onChange: () => sources.forEach((each) => each.signedIn()),
  });
  undo.push(() => tokens.close());
  const source = createRemoteSource('s', {
    config: settings,
    limits: DEFAULT_LIMITS,
    clock,
    log,
    env: {},
    discoveryMs: 0,
    isLazy: () => false,
    vetsTools: () => true,
    admit: (attempt) => attempt(),
    spawn: () => {
      throw new Error('no program');
    },
    tokens: tokens.ofServer({ name: 's', url: settings.url!, auth: settings.auth }),
    onOffer: () => undefined,
    makeRoom: () => false,
    onListChanged: () => undefined,
  });
  sources.push(source);
  return source;
}

const until = (condition: () => boolean): Promise<void> =>
  expect.poll(condition, { interval: 5, timeout: 10_000 }).toBe(true);

async function call(source: RemoteSource, caller = 'anyone'): Promise<Outcome> {
  const exchange = new HandExchange();
  source.request(toolRequest({ caller }), exchange);
  await until(() => exchange.outcomes.length > 0);
  return exchange.outcomes[0]!;
}

const sent = (): (string | undefined)[] => web.received.map(({ headers }) => headers.authorization);

describe('a server that requires a sign-in only for its lists', () => {
  it('waits for a sign-in, and is used after it', async () => {
    web.answers['server/discover'] = status(404);
    web.answers['initialize'] = json(INITIALIZED);
    web.answers['notifications/initialized'] = status(202);
    const source = open();
    await source.start().catch(() => undefined);
    await until(() => source.state === 'needs-sign-in');
    expect(source.problem).toMatchObject({ code: 'SIGN_IN_NEEDED', hint: 'login s' });
    await store().save(grant());
    await until(() => source.state === 'ready');
    expect((await call(source)).kind).toBe('ok');
  });
});

describe('a server with a sign-in', () => {
  it('gets the token with every request, including streams and DELETE', async () => {
    const signedIn = grant();
    await store().save(signedIn);
    const source = open();
    await source.start();
    expect((await call(source)).kind).toBe('ok');
    await until(() => web.of('GET').length > 0);
    await source.stop();
    expect(web.of('DELETE')).toHaveLength(1);
    expect(new Set(sent())).toEqual(new Set([`Bearer ${signedIn.accessToken}`]));
    expect(source.status().auth).toEqual({
      kind: 'oauth',
      needsSignIn: undefined,
      expiresAt: signedIn.expiresAt,
      isRenewable: true,
      scopes: ['read'],
    });
    expect(logged.join('\n')).not.toMatch(/access-|refresh-/);
  });

  it('gets its configured key instead of the token', async () => {
    verifies('004-9.1-no-oauth');
    await store().save(grant());
    const source = open({ apiKey: 'the-key' });
    await expect(source.start()).rejects.toMatchObject({ code: 'SIGN_IN_NEEDED' });
    expect(new Set(sent())).toEqual(new Set(['Bearer the-key']));
    expect(source.status().auth).toEqual({ kind: 'api-key', needsSignIn: true });
    expect(issuer.asked).toEqual([]);
    expect(web.received.filter(({ url }) => url.includes('.well-known'))).toEqual([]);
  });

  it('refuses an expired token: many calls share one unnoticed renewal', async () => {
    verifies('004-5.4-401-expired', '004-5.1-retry');
    await store().save(grant());
    const source = open();
    await source.start();
    issuer.revoke();
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => call(source)));
    expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['ok']));
    expect(issuer.asked).toHaveLength(1);
    expect(source.status()).toMatchObject({ state: 'ready', connects: 1 });
  });

  it('waits for a new sign-in after the old one ended, and then connects by itself', async () => {
    verifies('004-9.4-refresh-failed', '004-5.4-401-expired');
    await store().save(grant());
    const source = open();
    await source.start();
    issuer.revoke('all');
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => call(source)));
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({
        kind: 'not_executed',
        reason: { code: 'SIGN_IN_NEEDED', hint: 'login s' },
      });
    expect(source.state).toBe('needs-sign-in');
    expect(source.status().auth).toMatchObject({ kind: 'oauth', needsSignIn: true });
    const asked = web.received.length;
    expect((await call(source)).kind).toBe('not_executed');
    // A sign-in that has ended is not tried again.
    expect(web.received).toHaveLength(asked);
    expect(issuer.asked).toHaveLength(1);
    expect(logged.filter((line) => line.includes('not renewed any more'))).toHaveLength(1);
    await store().save(grant());
    await until(() => source.state === 'ready');
    expect((await call(source)).kind).toBe('ok');
  });

  it('that accepts no token at all is not tried again', async () => {
    await store().save(grant());
    web.answers['initialize'] = status(401);
    web.answers['server/discover'] = status(401);
    const source = open();
    await expect(source.start()).rejects.toMatchObject({
      code: 'SIGN_IN_NEEDED',
      message: 'Server "s" does not accept the sign-in any more (HTTP 401).',
    });
    await new Promise((resolve) => setTimeout(resolve, 300));
    await expect(source.start()).rejects.toMatchObject({ code: 'SIGN_IN_NEEDED' });
    expect(issuer.asked).toHaveLength(1);
    expect(web.received.length).toBeLessThan(8);
  });

  it('recovers when its authorization server does', async () => {
    await store().save(grant());
    const source = open();
    await source.start();
    issuer.revoke();
    issuer.refusal = { status: 503, body: '' };
    const waiting = call(source);
    await until(() => issuer.asked.length > 0);
    await until(() => source.state !== 'ready');
    expect(source.state).not.toBe('needs-sign-in');
    issuer.refusal = undefined;
    // It did not run, so it is sent again.
    expect((await waiting).kind).toBe('ok');
    expect(source.state).toBe('ready');
  });

  it('that requires more scopes for one tool refuses only that call', async () => {
    verifies('004-9.5-parse-scopes', '004-5.4-403-step-up');
    await store().save(grant());
    const source = open();
    await source.start();
    const asBefore = web.answers['tools/call']!;
    web.answers['tools/call'] = (_received, response) =>
      void response
        .writeHead(403, { 'www-authenticate': 'Bearer error="insufficient_scope", scope="read write"' })
        .end();
    expect(await call(source)).toMatchObject({
      kind: 'not_executed',
      reason: { code: 'SCOPE_NEEDED', hint: 'login s', data: { scopes: ['read', 'write'] } },
    });
    expect(source.status()).toMatchObject({ state: 'ready', connects: 1 });
    await expect.poll(async () => (await store().find('s', 'shared'))?.wanted).toEqual(['read', 'write']);
    web.answers['tools/call'] = asBefore;
    expect((await call(source)).kind).toBe('ok');
  });

  it('never has its token sent to a redirect target', async () => {
    const other = await HandServer.start();
    await store().save(grant());
    const source = open();
    await source.start();
    web.answers['tools/call'] = (_received, response) =>
      void response.writeHead(307, { location: `${other.origin}/mcp` }).end();
    expect((await call(source)).kind).toBe('not_executed');
    expect(other.received).toEqual([]);
    await other.stop();
  });

  it('gets the token on the stream and the messages of the old transport', async () => {
    const signedIn = grant();
    await store().save(signedIn);
    for (const method of ['initialize', 'tools/list', 'tools/call', 'notifications/initialized']) {
      const result = { initialize: INITIALIZED.replace('2025-11-25', '2024-11-05'), 'tools/list': TOOLS }[
        method
      ];
      web.answers[method] = ({ message, url }, response) => {
        if (!url.startsWith('/messages')) return void response.writeHead(405).end();
        response.writeHead(202).end();
        if (message.id !== undefined)
          onStream(event(`{"jsonrpc":"2.0","id":"${message.id}","result":${result ?? '{"content":[]}'}}`));
      };
    }
    let onStream: (text: string) => void = () => undefined;
    web.answers['GET'] = (received, response) => {
      onStream = (text) => void response.write(text);
      stream(() => ['event: endpoint\ndata: /messages\n\n'], 'stay')(received, response);
    };
    const source = open();
    await source.start();
    expect((await call(source)).kind).toBe('ok');
    expect(web.of('GET')).toHaveLength(1);
    expect(new Set(sent())).toEqual(new Set([`Bearer ${signedIn.accessToken}`]));
  });
});

describe('a server that refuses every token', () => {
  /** Long enough for many rounds, if there were any. */
  const rounds = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 500));

  it('and whose tokens expire at once is not retried after each renewal', async () => {
    issuer.expiresIn = 0.001;
    await store().save(grant({ expiresAt: 0 }));
    web.answers['server/discover'] = status(401);
    web.answers['initialize'] = status(401);
    await expect(open().start()).rejects.toMatchObject({ code: 'SIGN_IN_NEEDED' });
    await rounds();
    expect(web.received.length).toBeLessThan(12);
    expect(issuer.asked.length).toBeLessThan(12);
  });

  it('and requires other scopes each time is not retried for each of them', async () => {
    await store().save(grant());
    let count = 0;
    for (const method of ['server/discover', 'initialize'])
      web.answers[method] = (_received, response) =>
        void response
          .writeHead(403, { 'www-authenticate': `Bearer error="insufficient_scope", scope="s${count++}"` })
          .end();
    await expect(open().start()).rejects.toMatchObject({ code: 'SCOPE_NEEDED' });
    await rounds();
    expect(web.received.length).toBeLessThan(5);
  });
});

describe('a server without a sign-in', () => {
  it('is asked without a token, reports that it needs one, and connects after a sign-in', async () => {
    const source = open();
    await expect(source.start()).rejects.toMatchObject({
      code: 'SIGN_IN_NEEDED',
      message: 'Server "s" wants a sign-in (HTTP 401).',
      hint: 'login s',
    });
    expect(new Set(sent())).toEqual(new Set([undefined]));
    expect(source.status()).toMatchObject({
      state: 'needs-sign-in',
      auth: { kind: 'oauth', needsSignIn: true },
    });
    await store().save(grant());
    await until(() => source.state === 'ready');
    expect(source.status().auth).toMatchObject({ kind: 'oauth', needsSignIn: undefined });
  });

  it('that needs none has the auth kind "none"', async () => {
    for (const [method, answer] of [
      ['server/discover', status(404)],
      ['initialize', json(INITIALIZED)],
      ['tools/list', json(TOOLS)],
    ] as const)
      web.answers[method] = answer;
    const source = open();
    await source.start();
    expect(source.status().auth).toEqual({ kind: 'none' });
  });
});

describe('a server with separate sign-ins', () => {
  const PER_CALLER = { auth: { identity: 'per-caller' } };

  it('gets each caller’s own token, and no calls of callers without a sign-in', async () => {
    const [ann, bob] = [grant({}, 'ann'), grant({ obtainedAt: Date.now() + 1 }, 'bob')];
    await store().save(ann);
    await store().save(bob);
    const source = open(PER_CALLER);
    await source.start();
    expect((await call(source, 'ann')).kind).toBe('ok');
    expect((await call(source, 'bob')).kind).toBe('ok');
    expect(await call(source, 'eve')).toMatchObject({
      kind: 'not_executed',
      reason: { code: 'SIGN_IN_NEEDED', hint: 'login s as eve' },
    });
    expect((await call(source, 'ann')).kind).toBe('ok');
    const calls = web.received.filter(({ message }) => message.method === 'tools/call');
    expect(calls.map(({ headers }) => headers.authorization)).toEqual(
      [ann, bob, ann].map(({ accessToken }) => `Bearer ${accessToken}`),
    );
    expect(source.status()).toMatchObject({
      state: 'ready',
      auth: { kind: 'oauth', isPerCaller: true },
    });
    expect(source.status().auth).not.toHaveProperty('expiresAt');
  });

  it.each<[string, Partial<Grant>]>([
    ['has ended', { expiresAt: 1 }],
    ['is refused', {}],
  ])('stays connected if the oldest sign-in %s and cannot be renewed', async (_, rest) => {
    const { refreshToken: _none, ...ann } = grant({ obtainedAt: 0, ...rest }, 'ann');
    issuer.revoke();
    const bob = grant({}, 'bob');
    await store().save(ann);
    await store().save(bob);
    const source = open(PER_CALLER);
    await source.start();
    expect((await call(source, 'bob')).kind).toBe('ok');
    expect(await call(source, 'ann')).toMatchObject({
      reason: { code: 'SIGN_IN_NEEDED', hint: 'login s as ann' },
    });
    const calls = web.received.filter(({ message }) => message.method === 'tools/call');
    expect(calls.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${bob.accessToken}`]);
  });

  it('gives each caller its own hint before the first sign-in', async () => {
    const source = open(PER_CALLER);
    expect(await call(source, 'ann')).toMatchObject({
      reason: { code: 'SIGN_IN_NEEDED', hint: 'login s as ann' },
    });
    await store().save(grant({}, 'ann'));
    await until(() => source.state === 'ready');
    expect((await call(source, 'ann')).kind).toBe('ok');
  });

  describe('whose sessions belong to the token that opened them', () => {
    beforeEach(() => {
      web.answers['initialize'] = (received, response) => {
        const { authorization } = received.headers;
        if (!issuer.accepts(authorization)) return void response.writeHead(401).end('who?');
        return json(INITIALIZED, { 'mcp-session-id': authorization!.slice(7) })(received, response);
      };
    });
    const opened = (): number => web.received.filter(({ message }) => message.method === 'initialize').length;
    /** Requests in a session that carry another token than the one that opened it, or none. */
    const strange = (): string[] =>
      web.received.flatMap(({ headers, message, method }) => {
        const session = headers['mcp-session-id'];
        const isOwn = session === undefined || headers.authorization === `Bearer ${String(session)}`;
        return isOwn ? [] : [message.method ?? method];
      });
    const end = async (source: RemoteSource): Promise<void> => {
      sources = sources.filter((each) => each !== source);
      await source.stop();
    };

    it('gets no request in the session of a caller that signed out', async () => {
      const [ann, bob] = [grant({ obtainedAt: 0 }, 'ann'), grant({}, 'bob')];
      await store().save(ann);
      await store().save(bob);
      const source = open(PER_CALLER);
      await source.start();
      expect((await call(source, 'ann')).kind).toBe('ok');
      expect(new Set(sent())).toEqual(new Set([`Bearer ${ann.accessToken}`]));
      await store().remove('s', 'ann');
      // Requests for all callers continue in a session of bob's sign-in.
      await until(() => sent().at(-1) === `Bearer ${bob.accessToken}` && source.state === 'ready');
      await source.refresh();
      expect(await call(source, 'ann')).toMatchObject({
        kind: 'not_executed',
        reason: { code: 'SIGN_IN_NEEDED', hint: 'login s as ann' },
      });
      await end(source);
      expect(strange()).toEqual([]);
    });

    it('gets a new sign-in of the same caller in a new session', async () => {
      await store().save(grant({}, 'ann'));
      const source = open(PER_CALLER);
      await source.start();
      expect((await call(source, 'ann')).kind).toBe('ok');
      const later = grant({}, 'ann');
      await store().save(later);
      await until(() => opened() > 2);
      expect((await call(source, 'ann')).kind).toBe('ok');
      expect(sent().at(-1)).toBe(`Bearer ${later.accessToken}`);
      await end(source);
      expect(strange()).toEqual([]);
    });

    it('keeps its sessions when a sign-in is renewed', async () => {
      const [ann, bob] = [grant({ obtainedAt: 0 }, 'ann'), grant({}, 'bob')];
      await store().save(ann);
      await store().save(bob);
      const source = open(PER_CALLER);
      await source.start();
      expect((await call(source, 'ann')).kind).toBe('ok');
      const before = opened();
      issuer.revoke();
      expect((await call(source, 'ann')).kind).toBe('ok');
      // Ann's sign-in is no longer the oldest, but requests for all callers stay with it.
      await source.refresh();
      expect((await call(source, 'ann')).kind).toBe('ok');
      expect(opened()).toBe(before);
      expect(sent()).not.toContain(`Bearer ${bob.accessToken}`);
    });
  });

  it('allows no subscription over another caller’s connection', async () => {
    await store().save(grant({}, 'ann'));
    const source = open(PER_CALLER);
    await source.start();
    const exchange = new HandExchange();
    source.request(
      { ...toolRequest({ caller: 'bob' }), method: 'resources/subscribe', name: 'file:///a' },
      exchange,
    );
    await until(() => exchange.outcomes.length > 0);
    expect(exchange.outcomes[0]).toMatchObject({
      kind: 'not_executed',
      reason: { code: 'RESOURCE_UNKNOWN' },
    });
  });
});
