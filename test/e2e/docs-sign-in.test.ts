/** Runs every shell block of docs/sign-in.md against a real authorization server. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseConfig } from '../../packages/hub/src/config/load.ts';
import { parseConfigText } from '../../packages/hub/src/config/read-file.ts';
import { type DocHub, openDocHub } from '../kit/doc-hub.ts';
import { openDocPage } from '../kit/doc-page.ts';
import { freePort } from '../kit/free-port.ts';
import {
  startAuthorizationServer,
  type AuthorizationServer,
} from '../servers/sign-in/authorization-server.ts';
import { visit } from '../servers/sign-in/headless-browser.ts';
import { startProtectedServer, type ProtectedServer } from '../servers/sign-in/protected-server.ts';

const BROWSER = join(import.meta.dirname, '../servers/sign-in/headless-browser.ts');
const page = openDocPage('sign-in.md');
let hub: DocHub;
let issuer: AuthorizationServer;
let docs: ProtectedServer;

beforeAll(async () => {
  const port = await freePort();
  issuer = await startAuthorizationServer({
    resources: () => ({ [docs.resource]: 'mcp' }),
    clients: [
      {
        client_id: 'batch',
        client_secret: 'hush',
        redirect_uris: [],
        response_types: [],
        grant_types: ['client_credentials'],
        token_endpoint_auth_method: 'client_secret_basic',
      },
      {
        client_id: 'pincer',
        client_secret: 'hush',
        application_type: 'native',
        redirect_uris: [`http://127.0.0.1:${port}/callback`],
        token_endpoint_auth_method: 'client_secret_basic',
      },
    ],
  });
  docs = await startProtectedServer({ issuer: () => issuer.issuer });
  hub = await openDocHub({ env: { DISPLAY: ':0', CLIENT_SECRET: 'hush' } });
  hub.replace('https://example.com/mcp', docs.url);
  hub.replace('45678', String(port));
  hub.addProgram(
    'xdg-open',
    `exec node -e "import('${BROWSER}').then((b) => b.visit(process.argv[1]))" "$1"`,
  );
});
afterAll(async () => {
  await hub?.[Symbol.asyncDispose]();
  for (const each of [docs, issuer]) await each?.[Symbol.asyncDispose]();
});

const call = (server = 'docs'): Promise<string> =>
  hub.shell.run(`pincer call ${server}.echo message=hi 2>&1 || true`);

it('signs in with a browser, shows the sign-in and ends it', async () => {
  const [add = '', login = ''] = hub.block(page, 'sh', 'pincer add docs').split('\n');
  expect(await hub.shell.run(`${add} 2>&1 || test $? -eq 3`)).toContain('pincer login docs');
  await hub.shell.run(login);
  expect(await call()).toContain('hi');
  expect(await hub.run(page, 'pincer status docs')).toMatch(/[Ss]igned/);
  expect(await call()).toContain('pincer login docs');
});

it('accepts the address of the last page from another machine', async () => {
  const waiting = hub.shell.start('pincer login docs --no-browser 2>&1');
  await waiting.until('redirect_uri');
  const [link = ''] = /http:\S+redirect_uri\S+/.exec(waiting.printed()) ?? [];
  const { callback } = await visit(link, { goesBack: false });
  hub.shell.env['ADDRESS'] = callback.href;
  await hub.run(page, 'pincer login docs --code');
  expect(await call()).toContain('hi');
});

it('signs in without a person', async () => {
  await hub.run(page, 'printf %s "$CLIENT_SECRET" | pincer secret set BATCH');
  expect(await call('batch')).toContain('hi');
  const text = page.take('json5', 'flow:');
  expect(() => parseConfig(parseConfigText(text, 'page'), {}, 'page', () => 'secret')).not.toThrow();
});

it('signs in as a client that was registered by hand', async () => {
  await hub.shell.run('pincer logout docs');
  const before = issuer.tokenRequests.length;
  await hub.run(page, 'pincer set docs auth.clientId');
  expect(issuer.tokenRequests.slice(before).map((body) => body.get('grant_type'))).toEqual([
    'authorization_code',
  ]);
  expect(await call()).toContain('hi');
});

it('prints the client id metadata document', async () => {
  expect(JSON.parse(await hub.run(page, 'pincer client-metadata'))).toMatchObject({
    client_id: 'https://example.com/pincer.json',
  });
});

it('signs in for one caller', async () => {
  await hub.run(page, 'pincer set docs auth.identity');
  expect(await call()).toContain('pincer login docs');
});

it('has no other block', () => {
  page.take('text', 'pincer login docs --no-browser');
  expect(page.untaken()).toEqual([]);
});
