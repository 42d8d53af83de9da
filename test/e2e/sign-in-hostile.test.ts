/** Hostile servers and authorization servers against the real hub: it neither requests nor opens what they point to. */
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHub, type TestHub } from '../kit/hub.ts';
import { servePages, type Pages } from '../kit/pages.ts';
import { eventually } from '../kit/processes.ts';
import { startHandIssuer, startHandResource, type HandIssuer } from '../servers/sign-in/fake-issuer.ts';
import { visit } from '../servers/sign-in/headless-browser.ts';
import { verifies } from '../verifies.ts';

interface Stage {
  readonly issuer: HandIssuer;
  readonly server: Pages;
  /** Must never receive a request. */
  readonly canary: Pages;
}

interface Plot {
  readonly says: RegExp;
  prepare(stage: Stage): void;
}

const challenge =
  (value: string) =>
  ({ server }: Stage): void =>
    server.set('/mcp', (_request, response) => response.writeHead(401, { 'www-authenticate': value }).end());
const pointsTo = (place: string): Plot => ({
  says: /not https|private network|not a valid URL|name or a password/,
  prepare: ({ server }) =>
    server.set('/.well-known/oauth-protected-resource/mcp', {
      resource: `${server.origin}/mcp`,
      authorization_servers: [place],
    }),
});
const speaks = (words: Readonly<Record<string, unknown>>, says: RegExp): Plot => ({
  says,
  prepare: ({ issuer }) => issuer.say(words),
});

/** Each attack ends before a browser is opened. */
const PLOTS: Readonly<Record<string, Plot>> = {
  'metadata-of-another-origin': {
    says: /another origin/,
    prepare: (stage) => challenge(`Bearer resource_metadata="${stage.canary.origin}/meta"`)(stage),
  },
  'metadata-of-the-cloud': {
    says: /another origin/,
    prepare: challenge('Bearer resource_metadata="http://169.254.169.254/latest/meta-data"'),
  },
  'metadata-in-a-file': {
    says: /another origin/,
    prepare: challenge('Bearer resource_metadata="file:///etc/passwd"'),
  },
  'metadata-redirects': {
    says: /follows no redirects/,
    prepare: ({ server, canary }) =>
      server.set('/.well-known/oauth-protected-resource/mcp', (_request, response) =>
        response.writeHead(302, { location: `${canary.origin}/meta` }).end(),
      ),
  },
  'metadata-of-another-server': {
    says: /another one/,
    prepare: ({ server, canary, issuer }) =>
      server.set('/.well-known/oauth-protected-resource/mcp', {
        resource: `${canary.origin}/mcp`,
        authorization_servers: [issuer.origin],
      }),
  },
  'metadata-too-large': {
    says: /larger than/,
    prepare: ({ server }) =>
      server.set('/.well-known/oauth-protected-resource/mcp', (_request, response) =>
        response.end(`{"resource":"${'x'.repeat(400_000)}"}`),
      ),
  },
  'metadata-that-never-ends': {
    says: /within 500 ms/,
    prepare: ({ server }) =>
      server.set(
        '/.well-known/oauth-protected-resource/mcp',
        (_request, response) => void response.write('{'),
      ),
  },
  'issuer-in-the-cloud': pointsTo('https://169.254.169.254'),
  'issuer-link-local': pointsTo('https://[fe80::1]'),
  'issuer-without-tls': pointsTo('http://10.1.2.3'),
  'issuer-with-a-password': pointsTo('https://user:pass@auth.example.com'),
  'issuer-in-a-file': pointsTo('file:///etc/passwd'),
  'issuer-redirects': {
    says: /follows no redirects/,
    prepare: ({ issuer, canary }) =>
      issuer.set('/.well-known/oauth-authorization-server', (_request, response) =>
        response.writeHead(307, { location: `${canary.origin}/meta` }).end(),
      ),
  },
  'issuer-is-another': speaks({ issuer: 'https://bank.example.com' }, /identifies itself as another issuer/),
  'issuer-almost-the-same': {
    says: /identifies itself as another issuer/,
    prepare: ({ issuer }) => issuer.say({ issuer: `${issuer.origin}/` }),
  },
  'no-pkce': speaks({ code_challenge_methods_supported: undefined }, /PKCE with S256/),
  'plain-pkce': speaks({ code_challenge_methods_supported: ['plain'] }, /PKCE with S256/),
  'page-javascript': speaks({ authorization_endpoint: 'javascript:alert(1)' }, /not https/),
  'page-file': speaks({ authorization_endpoint: 'file:///etc/passwd' }, /not https/),
  'page-without-tls': speaks({ authorization_endpoint: 'http://evil.example.com/' }, /not https/),
  'page-protocol-handler': speaks({ authorization_endpoint: 'ms-msdt:/id' }, /not https/),
  'page-command': speaks({ authorization_endpoint: '$(calc)' }, /not a valid URL/),
  'page-of-an-honest-one': speaks(
    {
      authorization_endpoint: 'https://bank.example.com/authorize',
      authorization_response_iss_parameter_supported: undefined,
    },
    /one could impersonate the other/,
  ),
  'page-option': speaks({ authorization_endpoint: '--help' }, /not a valid URL/),
  'token-endpoint-in-the-cloud': speaks({ token_endpoint: 'http://169.254.169.254/token' }, /not https/),
  'registration-redirects': {
    says: /follows no redirects/,
    prepare: ({ issuer, canary }) =>
      issuer.set('/register', (_request, response) =>
        response.writeHead(302, { location: `${canary.origin}/register` }).end(),
      ),
  },
  'registration-gives-nothing': {
    says: /no "client_id"/,
    prepare: ({ issuer }) => issuer.set('/register', (_request, response) => response.end('{}')),
  },
  'no-json': {
    says: /not a JSON object/,
    prepare: ({ issuer }) =>
      issuer.set('/.well-known/oauth-authorization-server', (_request, response) => response.end('{"a":')),
  },
};

let hub: TestHub;
let folder: string;
const stages = new Map<string, Stage>();
const opened = (): string => join(folder, 'opened');

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pincer-hostile-'));
  // Records everything that would be opened in a browser.
  writeFileSync(join(folder, 'xdg-open'), `#!/bin/sh\nprintf '%s\\n' "$#" "$@" >> '${opened()}'\n`);
  chmodSync(join(folder, 'xdg-open'), 0o755);
  for (const name of [...Object.keys(PLOTS), 'friendly', 'second']) {
    const issuer = await startHandIssuer();
    const server = await startHandResource(issuer.origin);
    const stage = { issuer, server, canary: await servePages() };
    PLOTS[name]?.prepare(stage);
    stages.set(name, stage);
  }
  hub = await startHub({
    servers: Object.fromEntries(
      [...stages].map(([name, { server }]) => [name, { url: `${server.origin}/mcp` }]),
    ),
    config: { limits: { signInDocumentMs: 500 } },
    env: { PATH: `${folder}:${process.env['PATH']}`, DISPLAY: ':0' },
    ready: false,
  });
});

afterAll(async () => {
  await hub[Symbol.asyncDispose]();
  for (const stage of stages.values())
    for (const each of [stage.issuer, stage.server, stage.canary]) await each[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const begin = (server: string): Promise<{ status: number; value: unknown }> =>
  hub.control('POST', 'sign-in', { server, openBrowser: true });

const tokenRequests = (name: string): string[] =>
  stages.get(name)!.issuer.requests.filter((request) => request.includes('/token'));

describe('a hostile server', () => {
  it.each(Object.entries(PLOTS))('%s', async (name, { says }) => {
    verifies('004-5.4-pkce-refuse', '004-14-https-only', '004-5.5-audience');
    const { status, value } = await begin(name);
    const { error } = value as { error: { code: string; message: string } };
    expect({ status, code: error.code }).toEqual({ status: 422, code: 'SIGN_IN_FAILED' });
    expect(error.message).toMatch(says);
    expect(stages.get(name)!.canary.requests).toEqual([]);
    expect(tokenRequests(name)).toEqual([]);
    expect(existsSync(opened())).toBe(false);
  });
});

describe('a hostile answer', () => {
  const link = async (name: string): Promise<{ link: string; state: string }> =>
    (await hub.control('POST', 'sign-in', { server: name })).value as { link: string; state: string };
  const wait = (state: string): ReturnType<typeof hub.control> =>
    hub.control('POST', 'sign-in/wait', { state });

  it.each([
    ['another issuer', { code: 'a-code', iss: 'https://bank.example.com' }],
    ['no issuer, though one was announced', { code: 'a-code' }],
    [
      'an error of another issuer',
      { error: 'x', error_description: 'Call 555-0100', iss: 'https://x.example' },
    ],
  ])('with %s: the code is sent nowhere, and nothing of it is shown', async (_what, back) => {
    stages.get('friendly')!.issuer.back = back;
    const { link: url, state } = await link('friendly');
    const { page } = await visit(url);
    expect(page?.text).toContain('another authorization server');
    expect(page?.text).not.toContain('555');
    const end = await wait(state);
    expect(end).toMatchObject({ status: 422, value: { error: { code: 'SIGN_IN_FAILED' } } });
    expect(JSON.stringify(end)).not.toContain('555');
    expect(tokenRequests('friendly')).toEqual([]);
  });

  it('with a forged, missing or foreign state: the command keeps waiting', async () => {
    const { issuer } = stages.get('friendly')!;
    issuer.back = { code: 'a-code', iss: issuer.origin };
    const { link: url, state } = await link('friendly');
    const { state: foreign } = await link('second');
    const { callback } = await visit(url, { goesBack: false });
    for (const forged of ['', 'forged', foreign]) {
      const address = new URL(callback);
      address.searchParams.set('state', forged);
      expect((await fetch(address)).status).toBe(400);
    }
    expect([...tokenRequests('friendly'), ...tokenRequests('second')]).toEqual([]);
    expect((await fetch(callback)).status).toBe(200);
    expect(await wait(state)).toMatchObject({ status: 200 });
    // The callback works only once.
    await expect(fetch(callback)).rejects.toThrow();
    expect(tokenRequests('friendly')).toHaveLength(1);
  });

  it('with a token that would inject a header: nothing is stored', async () => {
    const { issuer } = stages.get('second')!;
    issuer.back = { code: 'a-code', iss: issuer.origin };
    issuer.token = { access_token: 'a\r\nx-admin: 1', token_type: 'Bearer' };
    const { link: url, state } = await link('second');
    await visit(url);
    expect(await wait(state)).toMatchObject({
      value: { error: { message: expect.stringMatching(/no usable token/) } },
    });
    const kept = readdirSync(join(hub.home, 'tokens')).filter((name) => name.endsWith('.json'));
    expect(kept).toHaveLength(1);
  });
});

describe('a browser', () => {
  it('is opened without a shell, with the link as its only argument', async () => {
    const { issuer } = stages.get('second')!;
    issuer.say({ authorization_endpoint: `${issuer.origin}/authorize?x=$(id)\`id\`;id|id&y="` });
    const { value } = await begin('second');
    expect(value).toMatchObject({ hasOpenedBrowser: true });
    await eventually(() => existsSync(opened()) && readFileSync(opened(), 'utf8').endsWith('\n'), 10_000);
    const [count, address, ...rest] = readFileSync(opened(), 'utf8').trim().split('\n');
    expect({ count, rest }).toEqual({ count: '1', rest: [] });
    expect(address).toMatch(
      new RegExp(`^${issuer.origin}/authorize\\?x=%24%28id%29%60id%60%3Bid%7Cid&y=%22&`),
    );
  });
});
