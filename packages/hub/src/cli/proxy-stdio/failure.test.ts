import { describe, expect, it } from 'vitest';
import { failureOfStatus, failureOfTransport } from './post.ts';
import { readTarget } from './settings.ts';

const target = readTarget({}, { OPENCLAW_PROXY_OPENCLAW_TOKEN: 'a-secret' }, {});

it.each([
  [200, {}, 'outcome_unknown', 'SERVER_GONE'],
  [202, {}, 'outcome_unknown', 'SERVER_GONE'],
  [308, {}, 'not_executed', 'SERVER_UNREACHABLE'],
  [400, {}, 'not_executed', 'SERVER_UNREACHABLE'],
  [401, {}, 'not_executed', 'TOKEN_INVALID'],
  [403, {}, 'not_executed', 'SERVER_UNREACHABLE'],
  [404, {}, 'not_executed', 'SESSION_UNKNOWN'],
  [429, {}, 'not_executed', 'RATE_LIMITED'],
  [500, {}, 'outcome_unknown', 'SERVER_PROTOCOL'],
  [502, {}, 'outcome_unknown', 'SERVER_PROTOCOL'],
  [503, {}, 'outcome_unknown', 'SERVER_BUSY'],
  [503, { 'retry-after': '2' }, 'not_executed', 'SERVER_BUSY'],
])('HTTP %i %j means %s, %s', (status, headers, kind, code) => {
  const failure = failureOfStatus(target, { status, headers });
  expect(failure).toMatchObject({ kind, reason: { code, hint: expect.stringMatching(/\.$/) } });
  expect(JSON.stringify(failure)).not.toContain('a-secret');
});

it('HTTP 429 with Retry-After says when to try again', () => {
  expect(failureOfStatus(target, { status: 429, headers: { 'retry-after': '3' } })).toMatchObject({
    reason: { hint: 'Try again in 3 seconds.', data: { status: 429, retryAfterMs: 3_000 } },
  });
});

describe('a refused token', () => {
  it.each([
    [{}, 'Set OPENCLAW_PROXY_OPENCLAW_TOKEN in the environment or in .env.'],
    [
      { OPENCLAW_PROXY_OPENCLAW_TOKEN: '${OTHER}' },
      'OPENCLAW_PROXY_OPENCLAW_TOKEN is "${OTHER}": the client did not replace the variable.',
    ],
  ])('has a hint for %j', (env, hint) => {
    expect(failureOfStatus(readTarget({}, env, {}), { status: 401, headers: {} })).toMatchObject({
      reason: { hint },
    });
  });
});

it.each([
  [
    false,
    'not_executed',
    'HUB_UNREACHABLE',
    /^The proxy at http:\/\/127\.0\.0\.1:8000 cannot be reached \(ECONNREFUSED\)/,
  ],
  [true, 'outcome_unknown', 'SERVER_GONE', /broke before the answer \(ECONNREFUSED\)/],
])('a failed connection with wasSent %j', (wasSent, kind, code, message) => {
  const error = Object.assign(new Error('no'), { code: 'ECONNREFUSED' });
  expect(failureOfTransport(target, error, wasSent)).toMatchObject({
    kind,
    reason: { code, message: expect.stringMatching(message) },
  });
});
