import { describe, expect, it } from 'vitest';
import { failureOfRest, failureOfStatus, failureOfTransport } from './http-failure.ts';

describe('failureOfStatus', () => {
  it.each([
    [400, false, 'SERVER_UNREACHABLE'],
    [401, false, 'SERVER_UNREACHABLE'],
    [403, false, 'SERVER_UNREACHABLE'],
    [404, false, 'SERVER_UNREACHABLE'],
    [405, false, 'SERVER_UNREACHABLE'],
    [406, false, 'SERVER_UNREACHABLE'],
    [413, false, 'SERVER_UNREACHABLE'],
    [415, false, 'SERVER_UNREACHABLE'],
    [429, false, 'SERVER_UNREACHABLE'],
    [503, false, 'SERVER_UNREACHABLE'],
    [200, true, 'SERVER_PROTOCOL'],
    [202, true, 'SERVER_PROTOCOL'],
    [204, true, 'SERVER_PROTOCOL'],
    [302, true, 'SERVER_PROTOCOL'],
    [408, true, 'SERVER_PROTOCOL'],
    [409, true, 'SERVER_PROTOCOL'],
    [418, true, 'SERVER_PROTOCOL'],
    [500, true, 'SERVER_PROTOCOL'],
    [502, true, 'SERVER_PROTOCOL'],
    [504, true, 'SERVER_PROTOCOL'],
  ])('HTTP %i: may have run %s, %s', (status, wasSent, code) => {
    const failure = failureOfStatus('s', status, false);
    expect(failure).toMatchObject({ wasSent, sessionEnded: false, reason: { code, data: { status } } });
    expect(failure.reason.message).toMatch(/^Server "s" .*\.$/);
  });

  it('404 ends a session where there was one, and the call did not run', () => {
    expect(failureOfStatus('s', 404, true)).toMatchObject({
      wasSent: false,
      sessionEnded: true,
      reason: { code: 'SERVER_GONE', message: 'Server "s" has ended the session.' },
    });
    expect(failureOfStatus('s', 400, true).sessionEnded).toBe(true);
    expect(failureOfStatus('s', 400, false).sessionEnded).toBe(false);
    expect(failureOfStatus('s', 403, true).sessionEnded).toBe(false);
  });

  it.each([
    [401, 'servers.s.apiKey'],
    [403, 'servers.s.apiKey'],
    [404, 'servers.s.url'],
    [405, 'servers.s.url'],
    [429, 'Wait'],
    [503, 'Wait'],
  ])('HTTP %i has a hint about %s', (status, hint) => {
    expect(failureOfStatus('s', status, false).reason.hint).toContain(hint);
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
  ])('%s: nothing was sent, whatever the dispatcher thinks', (code) => {
    for (const wasSent of [true, false])
      expect(failureOfTransport('s', error(code), wasSent)).toMatchObject({
        wasSent: false,
        sessionEnded: false,
        reason: { code: 'SERVER_UNREACHABLE', message: `Server "s" cannot be reached (${code}).` },
      });
  });

  it.each(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'UND_ERR_SOCKET', 'UND_ERR_BODY_TIMEOUT'])(
    '%s after sending: it may have run',
    (code) => {
      expect(failureOfTransport('s', error(code), true)).toMatchObject({
        wasSent: true,
        reason: { code: 'SERVER_GONE', message: `The connection to "s" broke before the answer (${code}).` },
      });
      expect(failureOfTransport('s', error(code), false).wasSent).toBe(false);
    },
  );

  it('says what is known where there is no code, and keeps the cause', () => {
    const cause = error();
    const { reason } = failureOfTransport('s', cause, true);
    expect(reason.message).toContain('(what happened)');
    expect(reason.cause).toBe(cause);
  });
});

describe('failureOfRest', () => {
  it.each([
    failureOfStatus('s', 404, true),
    failureOfStatus('s', 405, false),
    failureOfTransport('s', Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), true),
  ])('was sent, whatever happened afterwards: $reason.message', (failure) => {
    const rest = failureOfRest('s', failure);
    expect(rest).toMatchObject({ wasSent: true, sessionEnded: failure.sessionEnded });
    expect(rest.reason).toMatchObject({ code: 'SERVER_GONE', cause: failure.reason });
    expect(rest.reason.message).toContain(failure.reason.message);
  });
});
