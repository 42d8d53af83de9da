import { describe, expect, it } from 'vitest';
import { gatewayAddress } from './gateway.ts';

describe('the gateway', () => {
  it('is where it was told to listen, by its arguments, its environment or its file', () => {
    const config = { gateway: { port: 1, auth: { mode: 'token', token: 't' } } };
    const env = { OPENCLAW_GATEWAY_PORT: '2' };
    const of = (...all: Parameters<typeof gatewayAddress>): string => gatewayAddress(...all).url;
    expect(of(config, env, ['gateway', 'run', '--port', '3'])).toBe('ws://127.0.0.1:3');
    expect(of(config, env, ['gateway', '--port=4'])).toBe('ws://127.0.0.1:4');
    expect(of(config, env, ['gateway'])).toBe('ws://127.0.0.1:2');
    expect(of(config, {}, [])).toBe('ws://127.0.0.1:1');
    expect(of({ gateway: { auth: { mode: 'none' } } }, {}, [])).toBe('ws://127.0.0.1:18789');
  });

  it('takes its token or its password, from its environment or its file', () => {
    const of = (auth: object, env: Record<string, string> = {}): unknown =>
      gatewayAddress({ gateway: { auth } }, env, []).auth;
    expect(of({ mode: 'none' })).toBeUndefined();
    expect(of({ token: 't' }, { OPENCLAW_GATEWAY_TOKEN: 'e' })).toEqual({ token: 'e' });
    expect(of({ mode: 'password', password: 'p', token: 't' })).toEqual({ password: 'p' });
    expect(of({ mode: 'password' }, { OPENCLAW_GATEWAY_PASSWORD: 'e' })).toEqual({ password: 'e' });
  });

  it('that cannot be reached this way is said to be so', () => {
    const unreachable = [{ auth: {} }, { tls: { enabled: true }, auth: { token: 't' } }];
    for (const gateway of unreachable)
      expect(() => gatewayAddress({ gateway }, {}, [])).toThrow(
        'Tools cannot get into OpenClaw by way of a node',
      );
  });
});
