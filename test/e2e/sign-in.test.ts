/** Signing in to a protected server at a real authorization server, by the command line and by control actions. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCliHome, type CliHome } from '../kit/cli.ts';
import { startHub } from '../kit/hub.ts';
import { eventually } from '../kit/processes.ts';
import { openOnTerminal, type Terminal } from '../kit/terminal.ts';
import {
  startAuthorizationServer,
  type AuthorizationServer,
} from '../servers/sign-in/authorization-server.ts';
import { visit } from '../servers/sign-in/headless-browser.ts';
import { startProtectedServer, type ProtectedServer } from '../servers/sign-in/protected-server.ts';
import { verifies } from '../verifies.ts';

let issuer: AuthorizationServer;
let docs: ProtectedServer;
let other: ProtectedServer;

beforeAll(async () => {
  issuer = await startAuthorizationServer({
    resources: () => ({ [docs.resource]: 'mcp admin', [other.resource]: 'mcp' }),
    clients: [
      {
        client_id: 'machine',
        client_secret: 'hush',
        redirect_uris: [],
        response_types: [],
        grant_types: ['client_credentials'],
        token_endpoint_auth_method: 'client_secret_basic',
      },
    ],
  });
  docs = await startProtectedServer({ issuer: () => issuer.issuer, toolScopes: { add: 'admin' } });
  other = await startProtectedServer({ issuer: () => issuer.issuer });
});

afterAll(async () => {
  for (const each of [docs, other, issuer]) await each[Symbol.asyncDispose]();
});

/** Runs `pincer login NAME --no-browser` and returns the link that it prints. */
async function login(cli: CliHome, ...more: string[]): Promise<{ link: string; ended: Promise<Ended> }> {
  const started = cli.start(['login', 'docs', '--no-browser', '--json', ...more], { input: '' });
  let stderr = '';
  started.child.stderr!.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  await eventually(() => /http:\S+/.test(stderr) || started.child.exitCode !== null, 30_000);
  const ended = started.ended.then(({ code, stdout }) => ({
    code,
    document: JSON.parse(stdout) as Record<string, unknown>,
  }));
  return { link: /http:\S+/.exec(stderr)?.[0] ?? '', ended };
}

interface Ended {
  code: number | null;
  document: Record<string, unknown>;
}

const call = (cli: CliHome, tool: string, ...args: string[]): Promise<Ended> =>
  cli.json(['call', `docs.${tool}`, ...args]);

describe('pincer login', () => {
  it('signs in by the link, and the server works from then on, also in the next hub', async () => {
    verifies('004-9.3-headless-url', '004-15-full-cycle', '004-9.2-token-response');
    await using cli = openCliHome();
    cli.configure({ docs: { url: docs.url } });
    const before = await call(cli, 'echo', 'message=hi');
    expect(before).toMatchObject({ code: 3, document: { error: { code: 'SIGN_IN_NEEDED' } } });
    expect(JSON.stringify(before.document)).toContain('pincer login docs');

    const { link, ended } = await login(cli);
    expect((await visit(link)).page).toMatchObject({
      status: 200,
      text: expect.stringContaining('Signed in'),
    });
    expect(await ended).toMatchObject({
      code: 0,
      document: {
        ok: true,
        server: 'docs',
        signedIn: { issuer: issuer.issuer, scopes: ['mcp'], isRenewable: true },
        tools: 2,
      },
    });
    expect(await call(cli, 'echo', 'message=hi')).toMatchObject({ code: 0 });

    process.kill(cli.hubPid()!, 'SIGTERM');
    await eventually(() => cli.hubPid() === undefined, 20_000);
    expect(await call(cli, 'echo', 'message=again')).toMatchObject({ code: 0 });
    const { document } = await cli.json(['status', 'docs']);
    expect(document).toMatchObject({ server: { state: 'ready', auth: { kind: 'oauth', scopes: ['mcp'] } } });
  });

  it('accepts the address that a browser on another machine could not reach, and both commands end', async () => {
    verifies('004-9.3-headless-callback-url');
    await using cli = openCliHome();
    cli.configure({ docs: { url: docs.url } });
    const { link, ended } = await login(cli);
    const { callback } = await visit(link, { goesBack: false });
    const forged = new URL(callback);
    forged.searchParams.set('iss', 'https://evil.example.com');
    const before = issuer.tokenRequests.length;
    expect(await cli.json(['login', 'docs', '--code', forged.href])).toMatchObject({
      code: 3,
      document: { error: { code: 'SIGN_IN_FAILED' } },
    });
    expect(issuer.tokenRequests).toHaveLength(before);
    expect(await cli.json(['login', 'docs', '--code', callback.href])).toMatchObject({
      code: 0,
      document: { ok: true, tools: 2 },
    });
    expect(await ended).toMatchObject({ code: 0, document: { ok: true } });
  });

  it('signs out, here and at the authorization server', async () => {
    await using cli = openCliHome();
    cli.configure({ docs: { url: docs.url } });
    const { link, ended } = await login(cli);
    await visit(link);
    await ended;
    const { document } = await cli.json(['logout', 'docs']);
    expect(document).toEqual({ ok: true, server: 'docs', wasSignedIn: true, wasRevoked: true });
    expect(await call(cli, 'echo', 'message=hi')).toMatchObject({
      code: 3,
      document: { error: { code: 'SIGN_IN_NEEDED' } },
    });
    expect(await cli.json(['logout', 'docs'])).toMatchObject({ document: { wasSignedIn: false } });
  });

  it('asks for more scopes when a tool needs them, while other tools keep working', async () => {
    verifies('004-5.4-403-step-up', '004-9.5-expanded');
    await using cli = openCliHome();
    // The challenge names one scope; otherwise the metadata would name both.
    cli.configure({ docs: { url: docs.url } });
    const first = await login(cli);
    await visit(first.link);
    await first.ended;
    const refused = await call(cli, 'add', 'a=1', 'b=2');
    expect(refused.document).toMatchObject({ error: { code: 'SCOPE_NEEDED' } });
    expect(await call(cli, 'echo', 'message=hi')).toMatchObject({ code: 0 });
    const second = await login(cli);
    const asked = new URL(second.link).searchParams.get('scope')?.split(' ');
    expect(asked).toEqual(expect.arrayContaining(['mcp', 'admin']));
    await visit(second.link);
    await second.ended;
    expect(await call(cli, 'add', 'a=1', 'b=2')).toMatchObject({ code: 0 });
  });

  it('reports that there is nothing to sign in to', async () => {
    await using cli = openCliHome();
    cli.configure({ prog: { command: 'node' }, key: { url: docs.url, apiKey: 'k' } });
    expect(await cli.json(['login', 'prog'])).toMatchObject({
      code: 2,
      document: { error: { code: 'USAGE' } },
    });
    expect(await cli.json(['login', 'key'])).toMatchObject({
      code: 2,
      document: { error: { code: 'USAGE' } },
    });
    expect(await cli.json(['login', 'nobody'])).toMatchObject({ code: 2 });
  });
});

describe('pincer login at a terminal', () => {
  const open = (cli: CliHome): Terminal =>
    openOnTerminal(['login', 'docs', '--no-browser'], { PINCER_HOME: cli.path });
  const linkOf = async (terminal: Terminal): Promise<string> => {
    await terminal.until('or run: pincer login docs --code');
    return /http:\S+/.exec(terminal.seen())![0];
  };

  it('accepts a pasted address after a wrong one', async () => {
    verifies('004-9.3-report', '004-9.3-headless-callback-url');
    await using cli = openCliHome();
    cli.configure({ docs: { url: docs.url } });
    await using terminal = open(cli);
    const { callback } = await visit(await linkOf(terminal), { goesBack: false });
    const forged = new URL(callback);
    forged.searchParams.set('state', 'forged');
    terminal.type(`${forged.href}\r`);
    await terminal.until('does not belong to a sign-in in progress');
    terminal.type(`${callback.href}\r`);
    expect(await terminal.ended).toBe(0);
    expect(terminal.seen()).toContain(`Signed in to docs, at ${issuer.issuer}. It is renewed automatically.`);
  });

  it('ends by itself when the browser returns', async () => {
    await using cli = openCliHome();
    cli.configure({ docs: { url: docs.url } });
    await using terminal = open(cli);
    await visit(await linkOf(terminal));
    expect(await terminal.ended).toBe(0);
    expect(terminal.seen()).toContain('2 tools');
  });
});

describe('pincer client-metadata', () => {
  it('prints the document for its hosting address, without a hub', async () => {
    verifies('004-17-cimd-hosting');
    await using cli = openCliHome();
    const url = 'https://example.com/pincer.json';
    const given = await cli.run(['client-metadata', url]);
    expect(given.code).toBe(0);
    expect(JSON.parse(given.stdout)).toEqual({
      client_id: url,
      client_name: 'Pincer',
      application_type: 'native',
      redirect_uris: ['http://127.0.0.1/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    });
    cli.configure({}, { signIn: { clientMetadataUrl: url } });
    expect(await cli.run(['client-metadata'])).toMatchObject({ code: 0, stdout: given.stdout, stderr: '' });
    for (const wrong of ['http://example.com/x', 'https://example.com', 'https://example.com/a#b', 'x'])
      expect(await cli.run(['client-metadata', wrong])).toMatchObject({ code: 2 });
    expect(cli.hubPid()).toBeUndefined();
  });
});

describe('a hub', () => {
  it('stores a new server that needs a sign-in, and shows the same link to all at once', async () => {
    await using hub = await startHub({ servers: {} });
    const added = await hub.control('POST', 'servers', { name: 'docs', config: { url: docs.url } });
    expect(added).toMatchObject({ status: 422, value: { error: { code: 'SIGN_IN_NEEDED' } } });
    const begin = (): ReturnType<typeof hub.control> =>
      hub.control('POST', 'sign-in', { server: 'docs', openBrowser: false });
    const [one, two] = await Promise.all([begin(), begin()]);
    expect(one).toMatchObject({ status: 200, value: { server: 'docs', hasOpenedBrowser: false } });
    expect(two).toEqual(one);
    const { link, state } = one.value as { link: string; state: string };
    const { callback } = await visit(link, { goesBack: false });
    const code = callback.searchParams.get('code');
    expect(await hub.control('POST', 'sign-in/code', { server: 'docs', code })).toMatchObject({
      status: 200,
      value: { server: 'docs', signedIn: { scopes: ['mcp'] } },
    });
    expect(await hub.control('POST', 'sign-in/wait', { state })).toMatchObject({
      value: { isUnderWay: false, signedIn: { scopes: ['mcp'] } },
    });
    const status = await hub.control('GET', 'status');
    expect(status.value).toMatchObject({
      servers: [{ name: 'docs', state: 'ready', auth: { kind: 'oauth' } }],
    });
    expect((await hub.call('docs__echo', { message: 'hi' })).result).toBeDefined();
  });

  it('sends a token only to its own server', async () => {
    verifies('004-5.5-audience');
    await using hub = await startHub({
      servers: { docs: { url: docs.url }, other: { url: other.url } },
      ready: false,
    });
    const seen = other.authorizations.length;
    const tokens: string[] = [];
    for (const server of ['docs', 'other']) {
      const { value } = await hub.control('POST', 'sign-in', { server });
      await visit((value as { link: string }).link);
      await hub.control('POST', 'sign-in/wait', { state: (value as { state: string }).state });
      await hub.call(`${server}__echo`, { message: 'hi' });
      const shown = (server === 'docs' ? docs : other).authorizations.findLast((each) => each !== undefined);
      tokens.push(shown!);
    }
    const [forDocs] = tokens;
    expect(other.authorizations.slice(seen)).not.toContain(forDocs);
    // There it would be worthless: it has another audience.
    const response = await fetch(other.url, {
      method: 'POST',
      headers: { authorization: forDocs!, 'content-type': 'application/json' },
      body: '{}',
    });
    expect(response.status).toBe(401);
    expect(other.refusals.at(-1)).toMatch(/aud/);
  });

  it('signs in with client credentials, and again when its token is refused', async () => {
    const auth = { flow: 'client', clientId: 'machine', clientSecret: 'hush' };
    await using hub = await startHub({ servers: { docs: { url: docs.url, auth } }, ready: false });
    const isReady = async (): Promise<boolean> => {
      const { value } = await hub.control('GET', 'status');
      return (value as { servers: { state: string }[] }).servers[0]?.state === 'ready';
    };
    expect(await eventually(isReady, 30_000)).toBe(true);
    expect((await hub.call('docs__echo', { message: 'hi' })).result).toBeDefined();
    docs.refuse(docs.authorizations.findLast((each) => each !== undefined)!.slice('Bearer '.length));
    expect((await hub.call('docs__echo', { message: 'hi' })).result).toBeDefined();
    expect(docs.refusals.at(-1)).toContain('revoked');
  });

  it('reports once that a new sign-in is needed if refreshing fails, and keeps the list', async () => {
    await using hub = await startHub({ servers: { docs: { url: docs.url } }, ready: false });
    const { value } = await hub.control('POST', 'sign-in', { server: 'docs' });
    const { link, state } = value as { link: string; state: string };
    await visit(link);
    await hub.control('POST', 'sign-in/wait', { state });
    await hub.call('docs__echo', { message: 'hi' });
    await issuer.revokeAll();
    docs.refuse(docs.authorizations.findLast((each) => each !== undefined)!.slice('Bearer '.length));
    const answer = await hub.call('docs__echo', { message: 'hi' });
    expect(JSON.stringify(answer)).toContain('SIGN_IN_NEEDED');
    const { value: status } = await hub.control('GET', 'status');
    expect(status).toMatchObject({ servers: [{ tools: 2, auth: { kind: 'oauth', needsSignIn: true } }] });
    expect(
      hub
        .stderr()
        .split('\n')
        .filter((line) => line.includes('pincer login docs')),
    ).toHaveLength(1);
  });
});
