import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { servePages, type Pages } from '../../../../../../test/kit/pages.ts';
import { DEFAULT_LIMITS } from '../../../core/limits.ts';
import { isOwnFlow, type AuthSettings } from '../client/settings.ts';
import { createGuardedFetch } from '../guard/guarded-fetch.ts';
import { ownProof } from './own-flow.ts';

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag';

let folder = '';
let provider: Pages;
let asked: URLSearchParams | undefined;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pincer-proof-'));
  provider = await servePages();
  asked = undefined;
  answerWith(200, { access_token: 'word', issued_token_type: ID_JAG, token_type: 'N_A' });
});
afterEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  await provider[Symbol.asyncDispose]();
});

function answerWith(status: number, answer: object): void {
  provider.set('/token', (request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      asked = new URLSearchParams(body);
      response.writeHead(status).end(JSON.stringify(answer));
    });
  });
}

const proof = (auth: AuthSettings): ReturnType<typeof ownProof> =>
  ownProof({
    fetch: createGuardedFetch({ limits: DEFAULT_LIMITS }),
    clock: { now: () => 0 },
    auth,
    issuer: 'https://auth.example.com',
    resource: 'https://mcp.example.com/mcp',
  });

const enterprise = (more: object = {}): AuthSettings => ({
  flow: 'enterprise',
  identityProvider: { url: `${provider.origin}/token`, clientId: 'us', token: 'id-token', ...more },
});

it('knows the flows without a person', () => {
  expect((['code', 'device', undefined] as const).map(isOwnFlow)).toEqual([false, false, false]);
  expect((['client', 'workload', 'enterprise'] as const).map(isOwnFlow)).toEqual([true, true, true]);
});

describe('a workload token', () => {
  it('is the configured value, or the current content of the file', async () => {
    const file = join(folder, 'token');
    expect(await proof({ flow: 'workload', workload: { token: 'a' } })).toEqual({
      grant_type: JWT_BEARER,
      assertion: 'a',
    });
    for (const text of ['one', 'two']) {
      writeFileSync(file, `${text}\n`);
      expect(await proof({ flow: 'workload', workload: { file } })).toMatchObject({ assertion: text });
    }
  });

  it('is required', async () => {
    await expect(proof({ flow: 'workload' })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    await expect(proof({ flow: 'workload', workload: { file: join(folder, 'none') } })).rejects.toMatchObject(
      {
        code: 'SIGN_IN_FAILED',
      },
    );
  });
});

describe('the assertion of an identity provider', () => {
  it('is for exactly this authorization server and server', async () => {
    expect(await proof(enterprise())).toEqual({ grant_type: JWT_BEARER, assertion: 'word' });
    expect(Object.fromEntries(asked!)).toEqual({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      requested_token_type: ID_JAG,
      subject_token: 'id-token',
      subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
      audience: 'https://auth.example.com',
      resource: 'https://mcp.example.com/mcp',
      client_id: 'us',
    });
  });

  it('must have the requested type', async () => {
    answerWith(200, {
      access_token: 'x',
      issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    });
    await expect(proof(enterprise())).rejects.toThrow(/another type of token/);
  });

  it('fails if it is refused or not configured', async () => {
    answerWith(400, { error: 'invalid_grant' });
    await expect(proof(enterprise())).rejects.toMatchObject({ data: { oauthError: 'invalid_grant' } });
    await expect(proof({ flow: 'enterprise' })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    await expect(proof(enterprise({ token: undefined }))).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });
});
