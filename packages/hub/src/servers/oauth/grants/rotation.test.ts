import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeJwt } from 'jose';
import { expect, it } from 'vitest';
import { servePages } from '../../../../../../test/kit/pages.ts';
import { startAuthorizationServer } from '../../../../../../test/servers/sign-in/authorization-server.ts';
import { visit } from '../../../../../../test/servers/sign-in/headless-browser.ts';
import { DEFAULT_LIMITS } from '../../../core/limits.ts';
import { openGrantFiles } from '../../../owner/grant-files.ts';
import { createGuardedFetch } from '../guard/guarded-fetch.ts';
import { createSignIns } from '../sign-ins.ts';
import { createGrants } from './grant-store.ts';
import { createRenewGrant } from './renew-grant.ts';
import { createTokens } from './tokens.ts';

const HOUR = 3_600_000;
const noop = (): void => undefined;
const log = { debug: noop, info: noop, warn: noop, error: noop };

it('uses each refresh token of a real authorization server once, and ends after a thief used one', async () => {
  const home = mkdtempSync(join(tmpdir(), 'pincer-rotation-'));
  await using server = await servePages();
  const url = `${server.origin}/mcp`;
  await using issuer = await startAuthorizationServer({ resources: () => ({ [url]: 'mcp' }) });
  server.set('/.well-known/oauth-protected-resource/mcp', {
    resource: url,
    authorization_servers: [issuer.issuer],
    scopes_supported: ['mcp'],
  });
  let now = Date.now();
  const clock = { now: () => now, elapsed: () => now };
  const fetchGuarded = createGuardedFetch({ limits: DEFAULT_LIMITS });
  const store = createGrants(openGrantFiles(home, {}));
  const signIns = createSignIns({
    store,
    fetch: fetchGuarded,
    clock,
    log,
    limits: DEFAULT_LIMITS,
    target: () => ({ url: new URL(url), headers: {}, auth: {} }),
    clientMetadataUrl: () => undefined,
    openBrowser: async () => false,
    onChanged: noop,
  });
  const tokens = createTokens({
    grants: store,
    renew: createRenewGrant({ fetch: fetchGuarded, clock }),
    clock,
    log,
    hint: () => 'login',
    onChange: noop,
  });
  const port = tokens.ofServer({ name: 's', url }).of();
  const token = async (): Promise<string> =>
    (await port.authorize({ method: 'POST', url }))!.headers['authorization']!.slice('Bearer '.length);
  const spent = (): (string | null)[] =>
    issuer.tokenRequests.flatMap((asked) => asked.get('refresh_token') ?? []);
  try {
    const { link, ended } = await signIns.begin('s');
    await visit(link!);
    expect(await ended).toMatchObject({ ok: true });
    const given = [await token()];
    for (let renewal = 0; renewal < 3; renewal++) {
      now += HOUR;
      given.push(await token());
    }
    expect(new Set(given).size).toBe(4);
    for (const each of given) expect(decodeJwt(each)).toMatchObject({ aud: url, iss: issuer.issuer });
    expect(new Set(spent()).size).toBe(3);
    expect(spent()).toHaveLength(3);

    const { client } = (await store.find('s', 'shared'))!;
    const stolen = new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: spent()[0]!,
      client_id: client.clientId,
    });
    const answer = await fetch(`${issuer.issuer}/token`, { method: 'POST', body: stolen });
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: 'invalid_grant' }]);

    now += HOUR;
    await expect(token()).rejects.toMatchObject({ code: 'SIGN_IN_NEEDED' });
    expect(await store.find('s', 'shared')).toMatchObject({ refused: 'invalid_grant' });
    const asked = issuer.tokenRequests.length;
    await expect(token()).rejects.toMatchObject({ code: 'SIGN_IN_NEEDED' });
    expect(issuer.tokenRequests).toHaveLength(asked);
  } finally {
    tokens.close();
    signIns.stop();
    rmSync(home, { recursive: true, force: true });
  }
});
