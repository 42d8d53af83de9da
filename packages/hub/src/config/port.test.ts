import { describe, expect, it } from 'vitest';
import { choosePort } from './port.ts';
import { verifies } from '../../../../test/verifies.ts';

describe('choosePort', () => {
  it.each([
    [{}, undefined, { port: 8765, setting: 'device.port' }],
    [{}, 9000, { port: 9000, setting: 'device.port' }],
    [{}, 0, { port: 0, setting: 'device.port' }],
    [{ OPENCLAW_MCP_PORT: '7000' }, 9000, { port: 7000, setting: 'OPENCLAW_MCP_PORT' }],
    [{ OPENCLAW_MCP_PORT: '0' }, 9000, { port: 0, setting: 'OPENCLAW_MCP_PORT' }],
    [{ OPENCLAW_MCP_PORT: '' }, 9000, { port: 9000, setting: 'device.port' }],
    [{ OPENCLAW_MCP_PORT: '65535' }, undefined, { port: 65_535, setting: 'OPENCLAW_MCP_PORT' }],
  ])('environment %j, device.port %s: %j', (env, configured, chosen) => {
    verifies('000-deferred-port-setting', '000-summary-endpoint');
    expect(choosePort(env, configured)).toEqual(chosen);
  });

  it.each(['65536', '-1', '80.5', 'http', '80a', 'NaN', 'Infinity'])('refuses %j', (text) => {
    expect(() => choosePort({ OPENCLAW_MCP_PORT: text }, undefined)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(`"${text}"`) }),
    );
  });
});
