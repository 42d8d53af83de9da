import { describe, expect, it } from 'vitest';
import { readTokenAnswer } from './token-answer.ts';

const answer = (fields: object): ReturnType<typeof readTokenAnswer> =>
  readTokenAnswer(200, JSON.stringify({ access_token: 'a', token_type: 'Bearer', ...fields }));

describe('a token endpoint', () => {
  it('gives a token, its life and its scopes', () => {
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
    expect(answer({ token_type: undefined, expires_in: null })).toEqual({ accessToken: 'a', isDpop: false });
    expect(answer({ expires_in: 1e300 }).expiresInMs).toBeLessThan(1e13);
  });

  it.each([0, '0', '', -1, null, true, [[]], {}, 'soon'])('says no time that is none: %j', (expires_in) =>
    expect(answer({ expires_in })).not.toHaveProperty('expiresInMs'),
  );

  it.each([
    { access_token: '' },
    { access_token: 1 },
    { access_token: 'a\r\nx: y' },
    { access_token: 'ü' },
    { token_type: 'mac' },
  ])('gives nothing that can be used: %j', (fields) =>
    expect(() => answer(fields)).toThrow(expect.objectContaining({ code: 'SIGN_IN_FAILED' })),
  );

  it('refuses in its own words, without what is hidden in them', () => {
    expect(() =>
      readTokenAnswer(400, '{"error":"invalid_grant","error_description":"no\\u001b[2J"}'),
    ).toThrow(
      expect.objectContaining({
        message: 'The authorization server refused (HTTP 400, invalid_grant: no\\u001b[2J).',
        data: { status: 400, oauthError: 'invalid_grant' },
      }),
    );
    for (const text of ['', '<html>', '[]', 'null'])
      expect(() => readTokenAnswer(500, text)).toThrow('The authorization server refused (HTTP 500).');
    expect(() => readTokenAnswer(200, '[]')).toThrow(/refused/);
  });
});
