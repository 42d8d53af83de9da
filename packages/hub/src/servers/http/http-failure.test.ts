import { describe, expect, it } from 'vitest';
import { failureOfRest, failureOfStatus as failureOfHead, failureOfTransport } from './http-failure.ts';

const PEER = {
  server: 's',
  url: new URL('https://one.example/mcp?tenant=1'),
  hasKey: false,
  maxRetryAfterMs: 60_000,
};

const failureOfStatus = (
  status: number,
  hadSession = false,
  headers: Record<string, string | string[]> = {},
) => failureOfHead(PEER, { status, headers }, { hadSession });

describe('failureOfStatus', () => {
  it.each([
    [400, false, 'SERVER_UNREACHABLE'],
    [401, false, 'SIGN_IN_NEEDED'],
    [403, false, 'SERVER_UNREACHABLE'],
    [404, false, 'SERVER_UNREACHABLE'],
    [405, false, 'SERVER_UNREACHABLE'],
    [406, false, 'SERVER_UNREACHABLE'],
    [413, false, 'SERVER_UNREACHABLE'],
    [415, false, 'SERVER_UNREACHABLE'],
    [429, false, 'SERVER_UNREACHABLE'],
    [503, true, 'SERVER_PROTOCOL'],
    [200, true, 'SERVER_PROTOCOL'],
    [202, true, 'SERVER_PROTOCOL'],
    [204, true, 'SERVER_PROTOCOL'],
    [304, true, 'SERVER_PROTOCOL'],
    [301, true, 'SERVER_UNREACHABLE'],
    [302, true, 'SERVER_UNREACHABLE'],
    [303, true, 'SERVER_UNREACHABLE'],
    [307, false, 'SERVER_UNREACHABLE'],
    [308, false, 'SERVER_UNREACHABLE'],
    [408, true, 'SERVER_PROTOCOL'],
    [409, true, 'SERVER_PROTOCOL'],
    [418, true, 'SERVER_PROTOCOL'],
    [500, true, 'SERVER_PROTOCOL'],
    [502, true, 'SERVER_PROTOCOL'],
    [504, true, 'SERVER_PROTOCOL'],
  ])('HTTP %i: may have run %s, %s', (status, wasSent, code) => {
    const failure = failureOfStatus(status);
    expect(failure).toMatchObject({ wasSent, sessionEnded: false, reason: { code, data: { status } } });
    expect(failure.reason.message).toMatch(/^Server "s" .*\.$/);
  });

  it('404 ends a session if there was one, and the call did not run', () => {
    expect(failureOfStatus(404, true)).toMatchObject({
      wasSent: false,
      sessionEnded: true,
      reason: { code: 'SERVER_GONE', message: 'Server "s" has ended the session.' },
    });
    const unknown = { hadSession: true, body: '{"error":{"message":"Bad Request: No valid session ID"}}' };
    expect(failureOfHead(PEER, { status: 400, headers: {} }, unknown)).toMatchObject({
      wasSent: false,
      sessionEnded: true,
    });
    // Without a reason it may have run.
    expect(failureOfStatus(400, true)).toMatchObject({ wasSent: true, sessionEnded: true });
    expect(failureOfStatus(400, false).sessionEnded).toBe(false);
    expect(failureOfStatus(403, true).sessionEnded).toBe(false);
  });

  it.each([
    [401, 'servers.s.apiKey'],
    [403, 'servers.s.apiKey'],
    [404, 'servers.s.url'],
    [405, 'servers.s.url'],
    [429, 'Try again'],
    [503, 'Try again'],
  ])('HTTP %i has a hint about %s', (status, hint) => {
    expect(failureOfStatus(status).reason.hint).toContain(hint);
  });

  it.each([429, 503])(
    'HTTP %i with Retry-After says how long to wait, in data at most a minute',
    (status) => {
      const { reason } = failureOfStatus(status, false, { 'retry-after': '7' });
      expect(reason).toMatchObject({
        hint: expect.stringContaining('in 7 seconds'),
        data: { retryAfterMs: 7_000 },
      });
      const long = failureOfStatus(status, false, { 'retry-after': '3600' }).reason;
      expect(long).toMatchObject({ hint: expect.stringContaining('3600'), data: { retryAfterMs: 60_000 } });
      expect(failureOfStatus(status).reason.data).not.toHaveProperty('retryAfterMs');
    },
  );

  it('ignores Retry-After with another status', () => {
    const { reason } = failureOfStatus(404, false, { 'retry-after': '7' });
    expect(reason.data).toEqual({ status: 404 });
    expect(reason.hint).toContain('servers.s.url');
  });
});

describe('a server that answers 401', () => {
  const CHALLENGE = 'Bearer resource_metadata="https://one.example/.well-known/x", scope="a b"';

  it('without a credential needs a sign-in', () => {
    const { wasSent, reason } = failureOfStatus(401, true, { 'www-authenticate': CHALLENGE });
    expect(wasSent).toBe(false);
    expect(reason.message).toBe('Server "s" wants a sign-in (HTTP 401).');
    expect(reason.data).toMatchObject({ status: 401 });
    expect(reason.data?.['challenge']).toBe(CHALLENGE);
  });

  it('with a credential does not accept it', () => {
    const { reason } = failureOfHead(
      { ...PEER, hasKey: true },
      { status: 401, headers: {} },
      { hadSession: false },
    );
    expect(reason).toMatchObject({
      code: 'SIGN_IN_NEEDED',
      hint: expect.stringContaining('servers.s.apiKey'),
    });
    expect(reason.message).toContain('does not accept its configured key');
    expect(reason.data?.['challenge']).toBe('');
  });

  it('is quoted up to 2 KB, in a property that is not logged or passed on', () => {
    const { reason } = failureOfStatus(401, false, { 'www-authenticate': ['Basic', 'x'.repeat(9_000)] });
    expect(reason.data?.['challenge']).toHaveLength(2_048);
    expect(reason.data?.['challenge']).toMatch(/^Basic, x+$/);
    expect(JSON.stringify({ ...reason.data })).toBe('{"status":401}');
  });
});

describe('a server that redirects', () => {
  const messageOf = (location?: string): string =>
    failureOfStatus(307, false, location === undefined ? {} : { location }).reason.message;

  it.each([
    ['https://two.example/path?token=secret', 'to https://two.example (HTTP'],
    ['http://one.example/mcp', 'to http://one.example (HTTP'],
    ['//two.example:8443/x', 'to https://two.example:8443 (HTTP'],
    ['/mcp/?token=secret', 'to its path /mcp/ (HTTP'],
    ['javascript:alert(1)', 'elsewhere (HTTP'],
    ['https://[', 'elsewhere (HTTP'],
    [undefined, 'elsewhere (HTTP'],
  ])('to %s: %s', (location, place) => {
    expect(messageOf(location)).toContain(place);
    expect(messageOf(location)).toContain('follows no redirects');
    expect(messageOf(location)).not.toContain('secret');
  });

  it('is not followed; the hint names the setting to change', () => {
    expect(failureOfStatus(308).reason.hint).toContain('servers.s.url');
  });
});

describe('failureOfTransport', () => {
  const error = (code?: string): Error =>
    Object.assign(new Error('what happened'), code === undefined ? {} : { code });

  it.each([
    'ECONNREFUSED',
    'ENOTFOUND',
    'EAI_AGAIN',
    'EHOSTUNREACH',
    'UND_ERR_CONNECT_TIMEOUT',
    'CERT_HAS_EXPIRED',
  ])('%s: the server is unreachable; an earlier request may have run', (code) => {
    expect(failureOfTransport('s', error(code), false)).toMatchObject({
      wasSent: false,
      sessionEnded: true,
      reason: { code: 'SERVER_UNREACHABLE', message: `Server "s" cannot be reached (${code}).` },
    });
    expect(failureOfTransport('s', error(code), true)).toMatchObject({
      wasSent: true,
      sessionEnded: true,
      reason: { code: 'SERVER_GONE' },
    });
  });

  it('treats 503 as a refusal only with Retry-After', () => {
    expect(failureOfStatus(503, false, { 'retry-after': '7' })).toMatchObject({
      wasSent: false,
      reason: { code: 'SERVER_UNREACHABLE' },
    });
  });

  it.each(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'UND_ERR_SOCKET', 'UND_ERR_BODY_TIMEOUT'])(
    '%s after sending: it may have run',
    (code) => {
      expect(failureOfTransport('s', error(code), true)).toMatchObject({
        wasSent: true,
        sessionEnded: false,
        reason: { code: 'SERVER_GONE', message: `The connection to "s" broke before the answer (${code}).` },
      });
      expect(failureOfTransport('s', error(code), false).wasSent).toBe(false);
    },
  );

  it('shows the message if there is no code, and keeps the cause', () => {
    const cause = error();
    const { reason } = failureOfTransport('s', cause, true);
    expect(reason.message).toContain('(what happened)');
    expect(reason.cause).toBe(cause);
  });
});

describe('failureOfRest', () => {
  it.each([
    failureOfStatus(404, true),
    failureOfStatus(405, false),
    failureOfTransport('s', Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), true),
  ])('always counts as sent: $reason.message', (failure) => {
    const rest = failureOfRest('s', failure);
    expect(rest).toMatchObject({ wasSent: true, sessionEnded: failure.sessionEnded });
    expect(rest.reason).toMatchObject({ code: 'SERVER_GONE', cause: failure.reason });
    expect(rest.reason.message).toContain(failure.reason.message);
  });
});
