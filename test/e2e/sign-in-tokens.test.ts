/** The tokens of a sign-in: used, refreshed and stored by the real hub. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openGrantFiles } from '../../packages/hub/src/owner/grant-files.ts';
import { openVault } from '../../packages/hub/src/owner/vault.ts';
import type { Grant } from '../../packages/hub/src/servers/oauth/grant.ts';
import { createGrants } from '../../packages/hub/src/servers/oauth/grants/grant-store.ts';
import { openCliHome } from '../kit/cli.ts';
import { startGuardedServer } from '../kit/guarded-server.ts';
import { startHub, type TestHub } from '../kit/hub.ts';
import { callText, parseAnswer, textOf } from '../kit/messages.ts';
import { descendants, eventually } from '../kit/processes.ts';
import { stdioServer } from '../kit/servers.ts';
import { serverStatus } from '../kit/status.ts';
import { TokenServer } from '../kit/token-server.ts';
import { verifies } from '../verifies.ts';

let root = '';
let home = '';
let issuer: TokenServer;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'pincer-sign-in-'));
  home = join(root, 'home');
  issuer = await TokenServer.start();
});
afterEach(async () => {
  await issuer[Symbol.asyncDispose]();
  rmSync(root, { recursive: true, force: true });
});

const accepts = (authorization: string | undefined): boolean => issuer.accepts(authorization);
/** As a sign-in in another process does it. */
const signIn = (grant: Grant): Promise<void> => createGrants(openGrantFiles(home, {})).save(grant);
const codeOf = async (hub: TestHub, tool: string): Promise<unknown> =>
  ((await hub.call(tool, { message: 'x' })).error?.data as { code?: string } | undefined)?.code;

describe('a hundred callers with an expired token', () => {
  it('over hub and command line cause one refresh at the authorization server', async () => {
    verifies('004-5.4-401-expired', '004-9.4-rotation', '004-5.1-retry');
    await using server = await startGuardedServer(accepts, { tools: ['echo'] });
    await using cli = openCliHome();
    home = cli.path;
    await signIn(issuer.grant('web', server.url, { expiresAt: Date.now() - 1_000 }));
    await using hub = await startHub({
      servers: { web: { url: server.url } },
      config: { limits: { maxCallsPerCredential: 200 } },
      home,
      ready: false,
    });
    const all = async (): Promise<(string | undefined)[]> =>
      Promise.all([
        ...Array.from({ length: 92 }, async () => textOf(await hub.call('web__echo', { message: 'm' }))),
        ...Array.from({ length: 8 }, async () => {
          const { stdout, stderr } = await cli.run(['call', 'web.echo', 'message=m']);
          return stdout.trim() || stderr;
        }),
      ]);
    expect(new Set(await all())).toEqual(new Set(['m']));
    expect(issuer.asked).toHaveLength(1);
    // Also if only the server knows that the token was revoked.
    issuer.revoke();
    expect(new Set(await all())).toEqual(new Set(['m']));
    expect(issuer.asked).toHaveLength(2);
    expect(hub.stderr()).not.toMatch(/sign-in|login/);
  });

  it('in two processes at once cause one refresh', async () => {
    verifies('004-9.4-rotation');
    await using server = await startGuardedServer(accepts, { tools: ['echo'] });
    await signIn(issuer.grant('web', server.url));
    await using hub = await startHub({ servers: { web: { url: server.url } }, home });
    const before = issuer.asked.length;
    issuer.revoke();
    // The other process locks the record while the hub's callers arrive.
    const grants = createGrants(openGrantFiles(home, {}));
    const stored = (await grants.find('web', 'shared'))!;
    const fresh = issuer.grant('web', server.url);
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const other = grants.change(stored.key, async () => {
      await gate;
      return fresh;
    });
    const calls = Array.from({ length: 20 }, async () =>
      textOf(await hub.call('web__echo', { message: 'm' })),
    );
    expect(await eventually(() => server.shown.length >= 20)).toBe(true);
    open();
    await other;
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['m']));
    // The hub uses the token that the other process stored, without another request.
    expect(issuer.asked).toHaveLength(before);
    expect(server.shown.at(-1)).toBe(`Bearer ${fresh.accessToken}`);
  });
});

describe('an ended sign-in', () => {
  it('is reported once, keeps the list, and the next sign-in reconnects by itself', async () => {
    verifies('004-9.4-refresh-failed');
    await using server = await startGuardedServer(accepts, { tools: ['echo'] });
    await signIn(issuer.grant('web', server.url));
    await using hub = await startHub({ servers: { web: { url: server.url } }, home });
    expect(textOf(await hub.call('web__echo', { message: 'm' }))).toBe('m');
    issuer.revoke('all');
    expect(await codeOf(hub, 'web__echo')).toBe('SIGN_IN_NEEDED');
    expect(await codeOf(hub, 'web__echo')).toBe('SIGN_IN_NEEDED');
    expect(issuer.asked).toHaveLength(1);
    const ended = await serverStatus(hub, 'web');
    expect(ended).toMatchObject({
      state: 'needs-sign-in',
      auth: { kind: 'oauth', needsSignIn: true },
      error: { hint: expect.stringContaining('pincer login web') },
    });
    expect((await hub.control('GET', 'tools')).value).toMatchObject([{ exposed: 'web__echo' }]);
    expect(hub.stderr()).not.toContain('"level":"debug"');
    expect(hub.stderr().match(/is not renewed any more/g)).toHaveLength(1);
    await signIn(issuer.grant('web', server.url));
    expect(await eventually(async () => (await serverStatus(hub, 'web')).state === 'ready')).toBe(true);
    expect(textOf(await hub.call('web__echo', { message: 'back' }))).toBe('back');
  });

  it('for one tool leaves the others working', async () => {
    await using server = await startGuardedServer(accepts, { tools: ['echo', 'sink'] });
    await signIn(issuer.grant('web', server.url));
    await using hub = await startHub({ servers: { web: { url: server.url } }, home });
    server.wants.set('echo', 'read write');
    const { error } = await hub.call('web__echo', { message: 'm' });
    expect(error?.data).toMatchObject({ code: 'SCOPE_NEEDED', outcome: 'not_executed' });
    expect(await codeOf(hub, 'web__sink')).toBeUndefined();
    expect(await serverStatus(hub, 'web')).toMatchObject({ state: 'ready', connects: 1 });
    const kept = await createGrants(openGrantFiles(home, {})).find('web', 'shared');
    expect(kept).toMatchObject({ scopes: ['read'], wanted: ['read', 'write'] });
  });
});

describe('a hub that is killed between a refresh and its storage', () => {
  /** Stopped after the decision and killed after the answer arrived, so it never read the answer. */
  async function loseAnswer(url: string): Promise<{ stored: string; lost: string }> {
    const grant = issuer.grant('web', url);
    await signIn(grant);
    await using hub = await startHub({ servers: { web: { url } }, home });
    issuer.revoke();
    const killed = new Promise<void>((resolve) => {
      issuer.beforeAnswer = () => process.kill(hub.pid, 'SIGSTOP');
      issuer.afterAnswer = () => resolve(hub.kill9());
    });
    await hub.call('web__echo', { message: 'm' }).catch(() => undefined);
    await killed;
    [issuer.beforeAnswer, issuer.afterAnswer] = [() => undefined, () => undefined];
    return { stored: grant.accessToken, lost: issuer.given.at(-1)! };
  }
  const tokensShown = (shown: readonly (string | undefined)[]): Set<string> =>
    new Set(shown.flatMap((each) => each?.replace('Bearer ', '') ?? []));

  it('reports once that a new sign-in is needed, and sends no token that was not stored', async () => {
    await using server = await startGuardedServer(accepts, { tools: ['echo'] });
    const { stored, lost } = await loseAnswer(server.url);
    expect(lost).not.toBe(stored);
    await using hub = await startHub({ home });
    expect(await codeOf(hub, 'web__echo')).toBe('SIGN_IN_NEEDED');
    expect(await codeOf(hub, 'web__echo')).toBe('SIGN_IN_NEEDED');
    expect(await serverStatus(hub, 'web')).toMatchObject({
      state: 'needs-sign-in',
      error: { hint: expect.stringContaining('pincer login web') },
    });
    expect(hub.stderr().match(/is not renewed any more/g)).toHaveLength(1);
    expect(issuer.asked).toHaveLength(2);
    expect(tokensShown(server.shown)).toEqual(new Set([stored]));
  });

  it('continues by itself if the authorization server allows the retry', async () => {
    await using server = await startGuardedServer(accepts, { tools: ['echo'] });
    issuer.isForgiving = true;
    const { stored, lost } = await loseAnswer(server.url);
    await using hub = await startHub({ home });
    expect(textOf(await hub.call('web__echo', { message: 'm' }))).toBe('m');
    expect(hub.stderr()).not.toContain('pincer login');
    const kept = await createGrants(openGrantFiles(home, {})).find('web', 'shared');
    expect(tokensShown(server.shown)).toEqual(new Set([stored, kept!.accessToken]));
    expect(kept!.accessToken).not.toBe(lost);
  });
});

describe('a server with client credentials', () => {
  it('connects without a person, and stays connected', async () => {
    await using server = await startGuardedServer(accepts, { tools: ['echo'] });
    openVault(home, {}).set('CLIENT', 'hush');
    const auth = {
      flow: 'client',
      clientId: 'robot',
      clientSecret: '$secret:CLIENT',
      authorizationServerUrl: issuer.origin,
    };
    await using hub = await startHub({ servers: { web: { url: server.url, auth } }, home });
    expect(await eventually(async () => (await serverStatus(hub, 'web')).state === 'ready')).toBe(true);
    expect(textOf(await hub.call('web__echo', { message: 'm' }))).toBe('m');
    issuer.revoke();
    expect(textOf(await hub.call('web__echo', { message: 'm' }))).toBe('m');
    expect(issuer.asked.map((params) => params.get('grant_type'))).toEqual(
      Array(2).fill('client_credentials'),
    );
  });
});

describe('a server with a sign-in for each caller', () => {
  it('serves callers that signed in, and tells the others what to do', async () => {
    await using server = await startGuardedServer(accepts, { tools: ['echo'] });
    const mine = issuer.grant('web', server.url);
    await signIn({ ...mine, key: { ...mine.key, caller: 'local' } });
    const web = { url: server.url, auth: { identity: 'per-caller' } };
    await using hub = await startHub({ servers: { web }, home });
    const { value } = await hub.control('POST', 'tokens', { name: 'guest' });
    await using guest = hub.connect((value as { token: string }).token);
    const refused = await guest.post(callText('web__echo', { args: '{"message":"m"}' }));
    expect(parseAnswer(refused.messages.at(-1)!).error?.data).toMatchObject({
      code: 'SIGN_IN_NEEDED',
      hint: expect.stringContaining('pincer login web --caller guest'),
    });
    expect(textOf(await hub.call('web__echo', { message: 'm' }))).toBe('m');
    expect(await serverStatus(hub, 'web')).toMatchObject({
      state: 'ready',
      auth: { kind: 'oauth', isPerCaller: true },
    });
  });
});

describe('secrets', () => {
  it("appear nowhere: not in the folder, the log, errors, the audit log, nor in a program's environment", async () => {
    verifies('004-14-secret-not-shown', '004-12.2-debug');
    await using server = await startGuardedServer(accepts, { tools: ['echo'] });
    const grant = issuer.grant('web', server.url, {
      // The refresh is due soon and fails at first, which writes a debug line.
      obtainedAt: Date.now() - 3_600_000,
      expiresAt: Date.now() + 30_000,
      client: {
        clientId: 'pincer',
        clientSecret: 'seed-client-secret-4711',
        authMethod: 'client_secret_post',
        how: 'configured',
      },
    });
    await signIn(grant);
    openVault(home, {}).set('KEY', 'seed-api-key-4711');
    const seeds = ['seed-api-key-4711', 'seed-client-secret-4711', grant.accessToken, grant.refreshToken!];
    const servers = {
      web: { url: server.url },
      keyed: { url: server.url, apiKey: '$secret:KEY' },
      child: stdioServer({ tools: ['echo'] }),
    };
    writeFileSync(join(home, 'config.json'), JSON.stringify({ debug: true, servers }), { mode: 0o600 });
    issuer.refusal = { status: 503, body: '' };
    await using hub = await startHub({ home });
    expect(await eventually(() => hub.stderr().includes('"level":"debug"'), 10_000)).toBe(true);
    issuer.refusal = undefined;
    const said = [
      JSON.stringify(await hub.call('web__echo', { message: 'm' })),
      JSON.stringify(await hub.call('child__echo', { message: 'm' })),
    ];
    issuer.revoke();
    await hub.call('web__echo', { message: 'm' });
    const renewed = (await createGrants(openGrantFiles(home, {})).find('web', 'shared'))!;
    expect(renewed.accessToken).not.toBe(grant.accessToken);
    seeds.push(renewed.accessToken, renewed.refreshToken!);
    issuer.revoke('all');
    for (const tool of ['web__echo', 'keyed__echo'])
      said.push(JSON.stringify(await hub.call(tool, { message: 'm' })));
    for (const path of ['status', 'tools']) said.push(JSON.stringify(await hub.control('GET', path)));
    const children = descendants(hub.pid);
    expect(children.length).toBeGreaterThan(0);
    for (const { pid } of children) said.push(readFileSync(`/proc/${pid}/environ`, 'latin1'));
    said.push(readFileSync(`/proc/${hub.pid}/environ`, 'latin1'));
    const metrics = await hub.post('', { path: '/metrics', method: 'GET' });
    expect(metrics.status).toBe(200);
    said.push(metrics.body);
    await hub.stop();
    said.push(hub.stderr());
    for (const name of readdirSync(home, { recursive: true, encoding: 'utf8' }))
      if (statSync(join(home, name)).isFile()) said.push(readFileSync(join(home, name), 'latin1'));
    // The server itself received them; otherwise this test would find nothing anywhere.
    expect(server.shown).toContain(`Bearer ${renewed.accessToken}`);
    expect(server.shown).toContain('Bearer seed-api-key-4711');
    for (const seed of seeds)
      for (const form of [seed, Buffer.from(seed).toString('base64'), encodeURIComponent(seed)])
        expect(said.filter((text) => text.includes(form)).map((text) => text.slice(0, 80))).toEqual([]);
  });
});
