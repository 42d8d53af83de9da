/** All secrets of one whole sign-in, and all places where none of them may appear. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openGrantFiles } from '../../packages/hub/src/owner/grant-files.ts';
import { openVault } from '../../packages/hub/src/owner/vault.ts';
import { createGrants } from '../../packages/hub/src/servers/oauth/grants/grant-store.ts';
import { openCliHome, type CliHome } from '../kit/cli.ts';
import { startHub, type TestHub } from '../kit/hub.ts';
import { textOf } from '../kit/messages.ts';
import { descendants, eventually } from '../kit/processes.ts';
import { stdioServer } from '../kit/servers.ts';
import {
  startAuthorizationServer,
  type AuthorizationServer,
} from '../servers/sign-in/authorization-server.ts';
import { visit } from '../servers/sign-in/headless-browser.ts';
import { startProtectedServer, type ProtectedServer } from '../servers/sign-in/protected-server.ts';
import { verifies } from '../verifies.ts';

const CLIENT_SECRET = 'seed-client-secret-of-a-whole-sign-in';

it('a whole sign-in, its refresh and its end leave no secret in folder, log, answers or environments', async () => {
  verifies('004-14-secret-not-shown');
  let docs: ProtectedServer | undefined;
  await using issuer = await startAuthorizationServer({
    resources: () => ({ [docs!.resource]: 'mcp' }),
    clients: [
      {
        client_id: 'by-hand',
        client_secret: CLIENT_SECRET,
        application_type: 'native',
        redirect_uris: ['http://127.0.0.1/callback'],
        token_endpoint_auth_method: 'client_secret_basic',
      },
    ],
  });
  await using guarded = await startProtectedServer({ issuer: () => issuer.issuer });
  docs = guarded;
  await using cli = openCliHome();
  openVault(cli.path, {}).set('DOCS', CLIENT_SECRET);
  const auth = { clientId: 'by-hand', clientSecret: '$secret:DOCS', dpop: true };
  cli.configure({ docs: { url: docs.url, auth }, child: stdioServer({ tools: ['echo'] }) }, { debug: true });
  await using hub = await startHub({ home: cli.path, ready: false });

  const said = [...(await signIn(cli))];
  const use = async (): Promise<string | undefined> => {
    const answer = await hub.call('docs__echo', { message: 'm' });
    said.push(JSON.stringify(answer));
    return textOf(answer);
  };
  expect(await use()).toBe('m');
  said.push(JSON.stringify(await hub.call('child__echo', { message: 'm' })));
  const { privateJwk } = (await createGrants(openGrantFiles(cli.path, {})).find('docs', 'shared'))!.dpop!;
  docs.refuse(accessTokens(issuer).at(-1)!);
  expect(await use()).toBe('m');
  await issuer.revokeAll();
  docs.refuse(accessTokens(issuer).at(-1)!);
  expect(await use()).toBe('');
  expect(said.at(-1)).toContain('SIGN_IN_NEEDED');
  said.push(...(await whatIsShown(hub, cli)));
  await hub.stop();
  said.push(hub.stderr(), ...filesIn(cli.path));

  // The authorization server refuses requests without the client's secret.
  const shownAs = Buffer.from(`by-hand:${CLIENT_SECRET}`).toString('base64');
  const secrets = [...secretsOf(issuer), CLIENT_SECRET, shownAs, (privateJwk as { d: string }).d];
  // Besides these: a code, a verifier, two access tokens and two refresh tokens.
  expect(new Set(secrets).size).toBe(9);
  for (const token of accessTokens(issuer)) expect(docs.authorizations).toContain(`DPoP ${token}`);
  for (const secret of secrets)
    for (const form of [secret, Buffer.from(secret).toString('base64'), encodeURIComponent(secret)])
      expect(said.filter((text) => text.includes(form)).map((text) => text.slice(0, 80))).toEqual([]);
});

/** Signs in by the command line and returns its output. */
async function signIn(cli: CliHome): Promise<string[]> {
  const { child, ended } = cli.start(['login', 'docs', '--no-browser', '--json'], { input: '' });
  let stderr = '';
  child.stderr!.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  await eventually(() => /http:\S+/.test(stderr) || child.exitCode !== null, 30_000);
  const { page } = await visit(/http:\S+/.exec(stderr)![0]);
  const printed = await ended;
  expect(printed).toMatchObject({ code: 0 });
  return [printed.stdout, printed.stderr, page!.text];
}

const accessTokens = ({ tokenAnswers }: AuthorizationServer): string[] =>
  tokenAnswers.map((answer) => answer['access_token'] as string);

function secretsOf({ tokenRequests, tokenAnswers }: AuthorizationServer): string[] {
  const sent = ['code', 'code_verifier'].map((name) => tokenRequests[0]!.get(name)!);
  return [...sent, ...tokenAnswers.flatMap((each) => [each['access_token'], each['refresh_token']])].map(
    String,
  );
}

async function whatIsShown(hub: TestHub, cli: CliHome): Promise<string[]> {
  const shown: string[] = [];
  for (const args of [['logs', '--json'], ['status', '--json'], ['status', 'docs', '--json'], ['list']]) {
    const { stdout, stderr } = await cli.run(args);
    expect(stdout).not.toBe('');
    shown.push(stdout, stderr);
  }
  const metrics = await hub.post('', { path: '/metrics', method: 'GET' });
  expect(metrics.status).toBe(200);
  shown.push(metrics.body);
  const children = descendants(hub.pid);
  expect(children.length).toBeGreaterThan(0);
  for (const pid of [hub.pid, ...children.map((child) => child.pid)])
    shown.push(readFileSync(`/proc/${pid}/environ`, 'latin1'));
  return shown;
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'latin1'));
