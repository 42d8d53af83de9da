import { expect, it, describe } from 'vitest';
import { PincerError } from '../../core/errors.ts';
import type { ConnectAuth } from '../../openclaw/handshake.ts';
import { connectRefused } from '../../openclaw/refusal.ts';
import { chooseAuth, isGuarded, readRefused, type Refused } from './auth.ts';

const address = { url: 'wss://a', credential: { token: 'shared' }, how: 'x' };
const known = {
  tokenFor: (url: string, role?: string) => (url === 'wss://a' && role === 'node' ? 'own' : undefined),
};
const unknown = { tokenFor: () => undefined };

it('what the gateway has given this device counts most, then what it was given to pair with, then what people share', () => {
  const bootstrap = { url: 'wss://a', token: 'once' };
  expect(chooseAuth({ address, identity: known, bootstrap })).toEqual({ deviceToken: 'own' });
  expect(chooseAuth({ address, identity: unknown, bootstrap })).toEqual({ bootstrapToken: 'once' });
  expect(chooseAuth({ address, identity: unknown })).toEqual({ token: 'shared' });
});

it('what was given to pair with one gateway is not shown to another', () => {
  const bootstrap = { url: 'wss://b', token: 'once' };
  expect(chooseAuth({ address, identity: unknown, bootstrap })).toEqual({ token: 'shared' });
});

it.each([
  ['ws://127.0.0.1:18789', true],
  ['ws://localhost', true],
  ['ws://[::1]:1', true],
  ['wss://gateway.example', true],
  ['ws://192.168.0.2', false],
  ['ws://box.local', false],
  ['ws://127.0.0.1.example', false],
])('%s may be spoken to: %s', (url, expected) => expect(isGuarded(url)).toBe(expected));

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
