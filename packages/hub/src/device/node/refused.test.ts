import { describe, expect, it } from 'vitest';
import { PincerError } from '../../core/errors.ts';
import type { ConnectAuth } from '../../openclaw/handshake.ts';
import { connectRefused } from '../../openclaw/refusal.ts';
import { readRefused, type Refused } from './refused.ts';

const OWN = { deviceToken: 'own' };
const SHARED = { token: 'shared' };

const refused = (code: string, auth: ConnectAuth, more: object = {}): Refused =>
  readRefused(connectRefused({ code: 'X', message: 'no', details: { code, ...more } }, 'a test'), auth);

describe('a node that was not let in', () => {
  it('waits for an approval, and says of which request', () => {
    expect(refused('PAIRING_REQUIRED', SHARED, { requestId: 'r-1' })).toMatchObject({
      is: 'pending',
      requestId: 'r-1',
      hint: expect.stringContaining('approve r-1'),
    });
    expect(refused('PAIRING_REQUIRED', SHARED)).toMatchObject({ is: 'pending', requestId: undefined });
  });

  it.each([
    ['AUTH_DEVICE_TOKEN_MISMATCH', OWN, true],
    ['AUTH_TOKEN_MISMATCH', OWN, true],
    ['AUTH_TOKEN_MISMATCH', SHARED, false],
    ['AUTH_TOKEN_MISSING', undefined, false],
  ])('whose token is refused can do without its own, if that was it: %s, %j', (code, auth, isTokenVoid) => {
    expect(refused(code, auth)).toEqual({
      is: 'backoff',
      reason: expect.any(String),
      hint: expect.stringContaining('pincer node pair'),
      waitMs: 60_000,
      isTokenVoid,
    });
  });

  it('keeps its token where it has asked too often, and waits longer', () => {
    const { isTokenVoid, ...rest } = { isTokenVoid: false, ...refused('AUTH_RATE_LIMITED', OWN) };
    expect([isTokenVoid, rest]).toEqual([false, expect.objectContaining({ is: 'backoff', waitMs: 60_000 })]);
  });

  it.each(['DEVICE_AUTH_SIGNATURE_EXPIRED', 'DEVICE_AUTH_NONCE_MISMATCH', 'PROTOCOL_MISMATCH'])(
    'keeps its token, and comes back as after any other failure: %s',
    (code) => {
      const meant = refused(code, OWN);
      expect(meant).toEqual({ is: 'backoff', reason: expect.any(String), hint: expect.any(String) });
    },
  );

  it('comes back as after any other failure where no gateway answers', () => {
    const error = new PincerError('SERVER_UNREACHABLE', 'Nobody answers.', { hint: 'Start it.' });
    expect(readRefused(error, OWN)).toEqual({ is: 'backoff', reason: 'Nobody answers.', hint: 'Start it.' });
  });
});
