import { expect, it } from 'vitest';
import { parseConfig } from '../config/load.ts';
import { appParts, type DeviceAppParts } from './device.ts';

const on = (parts: Partial<DeviceAppParts>) =>
  appParts({ line: () => undefined, config: () => parseConfig({}, {}), ...parts });

const NODE = { isConnected: true, isPaired: true, isPending: false, version: '2026.9.6' };

it('there is no gateway if none is known', () => {
  expect(on({}).gateway()).toBeUndefined();
  expect(on({ node: () => undefined }).gateway()).toBeUndefined();
});

it('a node reports its connection, without one as an operator', async () => {
  const gateway = on({ node: () => NODE }).gateway()!;
  expect(gateway.state()).toEqual({
    connectionStatus: 'Connected',
    nodeConnected: true,
    nodePaired: true,
    nodePendingApproval: false,
    gatewayVersion: '2026.9.6',
  });
  await expect(gateway.request('sessions.list', {})).rejects.toMatchObject({
    message: 'The gateway does not answer this to a node',
    hint: expect.stringContaining('agent.gatewayUrl') as string,
  });
});

it('requests go to the connection of an operator if there is one', async () => {
  const line = { isConnected: true, version: '2026.9.7', request: () => Promise.resolve('answer' as never) };
  const gateway = on({ line: () => line, node: () => ({ ...NODE, isConnected: false }) }).gateway()!;
  expect(gateway.state()).toMatchObject({ connectionStatus: 'Connected', gatewayVersion: '2026.9.7' });
  expect(await gateway.request('sessions.list', {})).toBe('answer');
});
