import { generateKeyPairSync } from 'node:crypto';
import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import type { Client } from '../grant.ts';
import type { Answer, Question } from '../guard/guarded-fetch.ts';
import { newDpopKey, readSigningKey, type SigningKey } from './signing-keys.ts';
import { clientAuth, readTokenAnswer, requestToken, revoke, type TokenAnswer } from './token-endpoint.ts';

const ISSUER = 'https://auth.example.com';
const clock = { now: () => 1_700_000_000_000 };
const client: Client = { clientId: 'c', authMethod: 'none', how: 'dynamic' };
const authorizationServer = {
  issuer: ISSUER,
  token_endpoint: `${ISSUER}/token`,
  revocation_endpoint: `${ISSUER}/revoke`,
};

const read = (status: number, text: string): TokenAnswer => readTokenAnswer({ status, text });

const answer = (fields: object): TokenAnswer =>
  read(200, JSON.stringify({ access_token: 'a', token_type: 'Bearer', ...fields }));

describe('a token endpoint', () => {
  it('returns a token, its lifetime and its scopes', () => {
    expect(answer({ refresh_token: 'r', expires_in: 60, scope: 'x y' })).toEqual({
      accessToken: 'a',
      isDpop: false,
      refreshToken: 'r',
      expiresInMs: 60_000,
      scopes: ['x', 'y'],
    });
    expect(answer({ token_type: 'DPoP', expires_in: '60' })).toEqual({
      accessToken: 'a',
      isDpop: true,
      expiresInMs: 60_000,
    });
    const plain = { accessToken: 'a', isDpop: false };
    expect(answer({ token_type: undefined, expires_in: null })).toEqual(plain);
    expect(answer({ token_type: '', refresh_token: null, scope: 1, id_token: 'x' })).toEqual(plain);
    expect(answer({ expires_in: 1e300 }).expiresInMs).toBeLessThan(1e13);
    expect(read(200, '{"access_token":"a","expires_in":1e999}').expiresInMs).toBeLessThan(1e13);
  });

  it.each([0, '0', '', -1, null, true, [[]], {}, 'soon'])('has no lifetime for: %j', (expires_in) =>
    expect(answer({ expires_in })).not.toHaveProperty('expiresInMs'),
  );

  it.each([
    { access_token: '' },
    { access_token: 1 },
    { access_token: 'a\r\nx: y' },
    { access_token: 'ü' },
    { token_type: 'mac' },
  ])('returns no usable token: %j', (fields) =>
    expect(() => answer(fields)).toThrow(expect.objectContaining({ code: 'SIGN_IN_FAILED' })),
  );

  it('is quoted in a refusal, without hidden characters', () => {
    expect(() => read(400, '{"error":"invalid_grant","error_description":"no\\u001b[2J"}')).toThrow(
      expect.objectContaining({
        message: 'The authorization server refused (HTTP 400, invalid_grant: no\\u001b[2J).',
        data: { status: 400, oauthError: 'invalid_grant' },
      }),
    );
    for (const text of ['', '<html>', '[]', 'null'])
      expect(() => read(500, text)).toThrow('The authorization server refused (HTTP 500).');
    expect(() => read(200, '[]')).toThrow(/refused/);
  });
});

interface Asked extends Question {
  readonly url: string;
}

/** Endpoints that return these answers in turn. */
function endpoints(...answers: Partial<Answer>[]) {
  const asked: Asked[] = [];
  const fetch = async (url: string | URL, _bounds: unknown, question: Question): Promise<Answer> => {
    asked.push({ ...question, url: String(url) });
    const given = answers[asked.length - 1] ?? {};
    return { status: 200, headers: {}, text: '{"access_token":"a"}', isFromPrivate: false, ...given };
  };
  const parts = { fetch, bounds: { allowsPrivate: false, named: new Set<string>() }, clock, client };
  return { asked, parts: { ...parts, authorizationServer } };
}

describe('a token request', () => {
  it('is a form, without the name of a library', async () => {
    const { asked, parts } = endpoints();
    await requestToken(parts, { grant_type: 'refresh_token', refresh_token: 'r', resource: undefined });
    expect(asked).toEqual([
      {
        what: 'The token endpoint',
        url: `${ISSUER}/token`,
        method: 'POST',
        headers: {
          accept: 'application/json',
          'content-type': 'application/x-www-form-urlencoded;charset=UTF-8',
        },
        body: 'refresh_token=r&grant_type=refresh_token&client_id=c',
      },
    ]);
  });

  it.each([400, 401, 500, 999])('is refused with HTTP %i, with any further members', async (status) => {
    const { parts } = endpoints({
      status,
      text: '{"error":"invalid_client"}',
      headers: { 'www-authenticate': 'Basic realm="x"', 'content-type': 'text/plain' },
    });
    await expect(requestToken(parts, { grant_type: 'x' })).rejects.toMatchObject({
      message: `The authorization server refused (HTTP ${status}, invalid_client).`,
      data: { status, oauthError: 'invalid_client' },
    });
  });

  it('is sent again once with the requested nonce', async () => {
    const wants = { status: 400, text: '{"error":"use_dpop_nonce"}', headers: { 'dpop-nonce': 'n' } };
    const { asked, parts } = endpoints(wants, wants, wants);
    const dpop = { privateJwk: newDpopKey() };
    await expect(requestToken({ ...parts, dpop }, { grant_type: 'x' })).rejects.toThrow(/use_dpop_nonce/);
    const proofs = asked.map(({ headers }) => decodeJwt(headers!['dpop']!));
    expect(proofs).toMatchObject([{ iat: 1_700_000_000, htu: `${ISSUER}/token` }, { nonce: 'n' }]);
    const silent = endpoints({ ...wants, headers: {} });
    await expect(requestToken({ ...silent.parts, dpop }, { grant_type: 'x' })).rejects.toThrow(/nonce/);
    expect(silent.asked).toHaveLength(1);
  });
});

describe('revoking', () => {
  const grant = { refreshToken: 'r', accessToken: 'a' } as Parameters<typeof revoke>[1];

  it('covers the refresh token, then the access token; the first decides', async () => {
    const { asked, parts } = endpoints({}, { status: 503 });
    expect(await revoke(parts, grant)).toBe(true);
    expect(asked.map(({ url, body }) => [url, body])).toEqual([
      [`${ISSUER}/revoke`, 'token_type_hint=refresh_token&token=r&client_id=c'],
      [`${ISSUER}/revoke`, 'token_type_hint=access_token&token=a&client_id=c'],
    ]);
    expect(await revoke(endpoints({ status: 503 }).parts, grant)).toBe(false);
  });
});

describe('clientAuth', () => {
  async function sent(client: Client, key?: SigningKey) {
    const [body, headers] = [new URLSearchParams(), new Headers()];
    const auth = clientAuth({ client, key, clock });
    await auth(authorizationServer, { client_id: client.clientId }, body, headers);
    return { headers: Object.fromEntries(headers), params: Object.fromEntries(body) };
  }

  it('of a public client is its id', async () =>
    expect(await sent(client)).toEqual({ headers: {}, params: { client_id: 'c' } }));

  it('with a secret is a header, both halves encoded, or a field', async () => {
    const client = { clientId: 'c:1', clientSecret: 'a b%&-._*', how: 'configured' } as const;
    expect(await sent({ ...client, authMethod: 'client_secret_basic' })).toEqual({
      headers: { authorization: `Basic ${Buffer.from('c%3A1:a+b%25%26-._*').toString('base64')}` },
      params: {},
    });
    expect((await sent({ ...client, authMethod: 'client_secret_post' })).params).toEqual({
      client_id: 'c:1',
      client_secret: 'a b%&-._*',
    });
  });

  it('with a key is an assertion for the issuer that is valid for a minute', async () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    const key = readSigningKey(privateKey.export({ format: 'pem', type: 'pkcs8' }).toString());
    const client = { clientId: 'c', authMethod: 'private_key_jwt', how: 'configured' } as const;
    const { params } = await sent(client, key);
    expect(params['client_assertion_type']).toBe('urn:ietf:params:oauth:client-assertion-type:jwt-bearer');
    expect(decodeJwt(params['client_assertion']!)).toEqual({
      iss: 'c',
      sub: 'c',
      aud: ISSUER,
      iat: 1_700_000_000,
      exp: 1_700_000_060,
      jti: expect.any(String) as string,
    });
  });
});
