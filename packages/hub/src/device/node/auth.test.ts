import { expect, it } from 'vitest';
import { chooseAuth, isGuarded } from './auth.ts';

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
