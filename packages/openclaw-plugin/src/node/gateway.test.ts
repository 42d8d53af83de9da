import { describe, expect, it } from 'vitest';
import { gatewayAddress } from './gateway.ts';

describe('the gateway', () => {
  it('is where it says that it listens, else where its file says', () => {
    const config = { gateway: { port: 1, auth: { mode: 'token', token: 't' } } };
    expect(gatewayAddress(config, {}, 2)).toEqual({ url: 'ws://127.0.0.1:2', auth: { token: 't' } });
    expect(gatewayAddress(config, {}).url).toBe('ws://127.0.0.1:1');
    expect(gatewayAddress({ gateway: { auth: { mode: 'none' } } }, {})).toEqual({
      url: 'ws://127.0.0.1:18789',
      auth: undefined,
    });
  });

  it('takes its token or its password, from its environment or its file', () => {
    const of = (auth: object, env: Record<string, string> = {}): unknown =>
      gatewayAddress({ gateway: { auth } }, env).auth;
    expect(of({ token: 't' }, { OPENCLAW_GATEWAY_TOKEN: 'e' })).toEqual({ token: 'e' });
    expect(of({ mode: 'password', password: 'p', token: 't' })).toEqual({ password: 'p' });
    expect(of({ mode: 'password' }, { OPENCLAW_GATEWAY_PASSWORD: 'e' })).toEqual({ password: 'e' });
  });

  it('that cannot be reached this way is said to be so', () => {
    const unreachable = [{ auth: {} }, { tls: { enabled: true }, auth: { token: 't' } }];
    for (const gateway of unreachable)
      expect(() => gatewayAddress({ gateway }, {})).toThrow(
        'Tools cannot get into OpenClaw by way of a node',
      );
  });
});
