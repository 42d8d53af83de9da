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

it('prefers the device token, then the bootstrap token, then the shared credential', () => {
  const bootstrap = { url: 'wss://a', token: 'once' };
  expect(chooseAuth({ address, identity: known, bootstrap })).toEqual({ deviceToken: 'own' });
  expect(chooseAuth({ address, identity: unknown, bootstrap })).toEqual({ bootstrapToken: 'once' });
  expect(chooseAuth({ address, identity: unknown })).toEqual({ token: 'shared' });
});

it('does not send the bootstrap token of one gateway to another', () => {
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
])('%s is secure enough: %s', (url, expected) => expect(isGuarded(url)).toBe(expected));

const OWN = { deviceToken: 'own' };
const SHARED = { token: 'shared' };

const refused = (code: string, auth: ConnectAuth, more: object = {}): Refused =>
  readRefused(connectRefused({ code: 'X', message: 'no', details: { code, ...more } }, 'a test'), auth);

describe('a refused node', () => {
  it('waits for an approval, and names the request', () => {
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
  ])('drops its device token only if that was refused: %s, %j', (code, auth, isTokenVoid) => {
    expect(refused(code, auth)).toEqual({
      is: 'backoff',
      reason: expect.any(String),
      hint: expect.stringContaining('pincer node pair'),
      waitMs: 60_000,
      isTokenVoid,
    });
  });

  it('keeps its token after too many attempts, and waits longer', () => {
    const { isTokenVoid, ...rest } = { isTokenVoid: false, ...refused('AUTH_RATE_LIMITED', OWN) };
    expect([isTokenVoid, rest]).toEqual([false, expect.objectContaining({ is: 'backoff', waitMs: 60_000 })]);
  });

  it.each(['DEVICE_AUTH_SIGNATURE_EXPIRED', 'DEVICE_AUTH_NONCE_MISMATCH', 'PROTOCOL_MISMATCH'])(
    'keeps its token and retries as after any other failure: %s',
    (code) => {
      const refusal = refused(code, OWN);
      expect(refusal).toEqual({ is: 'backoff', reason: expect.any(String), hint: expect.any(String) });
    },
  );

  it('retries as after any other failure if no gateway answers', () => {
    const error = new PincerError('SERVER_UNREACHABLE', 'No gateway answers.', { hint: 'Start it.' });
    expect(readRefused(error, OWN)).toEqual({
      is: 'backoff',
      reason: 'No gateway answers.',
      hint: 'Start it.',
    });
  });
});
