import { openIdentity, type HubStatus } from 'pincer/client';
import { describe, expect, it, test } from 'vitest';
import { openHandGateway, type HandGateway } from '../../../../test/kit/openclaw/fake-gateway.ts';
import { eventually } from '../../../../test/kit/processes.ts';
import { temporaryFolder } from '../../../../test/kit/temporary-folder.ts';
import { toldHub, toldServer, toldServers } from '../../../../test/kit/fake-hub.ts';
import { gatewayAddress, startToolNode, type ToolNode } from './node.ts';

const letIn = (id: string): string =>
  JSON.stringify({ type: 'res', id, ok: true, payload: { server: { version: '2026.9.6' } } });

const asked = (params: object, command = 'mcp.tools.call.v1'): string =>
  JSON.stringify({
    type: 'event',
    event: 'node.invoke.request',
    payload: { id: 'call', nodeId: 'n', command, paramsJSON: JSON.stringify(params) },
  });

function startNode({ url }: HandGateway, home: string, hub = toldHub({})): ToolNode {
  const gateway = { url, auth: { token: 't' } };
  return startToolNode({ gateway, home, hub: () => Promise.resolve(hub), log: () => undefined });
}

const methods = ({ requests }: HandGateway): string[] => requests.map(({ method }) => method);

test('answers a call that comes right behind the welcome', async () => {
  using folder = temporaryFolder('node');
  await using gateway = await openHandGateway((id) => [letIn(id), asked({}, 'unknown')]);
  const node = startNode(gateway, folder.path);
  expect(await eventually(() => methods(gateway).includes('node.invoke.result'))).toBe(true);
  expect(gateway.requests[1]?.params).toMatchObject({ id: 'call', ok: false });
  node.stop();
});

test('is a separate node from this machine, even with the same state folder', async () => {
  using folder = temporaryFolder('node');
  await using gateway = await openHandGateway((id) => [letIn(id)]);
  const node = startNode(gateway, folder.path);
  expect(await eventually(() => gateway.requests.length > 0)).toBe(true);
  const { device, ...params } = gateway.requests[0]!.params as { device: { id: string } };
  expect(params).toMatchObject({
    role: 'node',
    scopes: [],
    caps: ['mcp'],
    commands: ['mcp.tools.call.v1'],
    auth: { token: 't' },
    client: { id: 'node-host', mode: 'node', platform: process.platform, displayName: 'Pincer' },
  });
  expect(params).not.toHaveProperty('client.deviceFamily');
  expect(device.id).toBe(openIdentity(folder.path, 'tools').id);
  expect(device.id).not.toBe(openIdentity(folder.path).id);
  node.stop();
});

test('reconnects to a gateway that sends invalid messages', async () => {
  using folder = temporaryFolder('node');
  await using gateway = await openHandGateway((id) => [letIn(id), '{']);
  const node = startNode(gateway, folder.path);
  expect(await eventually(() => gateway.requests.length >= 2)).toBe(true);
  node.stop();
});

test('does not stay connected if it is stopped while it connects', async () => {
  using folder = temporaryFolder('node');
  await using gateway = await openHandGateway(() => []);
  const node = startNode(gateway, folder.path);
  expect(await eventually(() => gateway.requests.length === 1)).toBe(true);
  node.stop();
  expect(await eventually(() => gateway.connections.size === 0)).toBe(true);
});

test('refuses calls of a server that is for some agents only', async () => {
  using folder = temporaryFolder('node');
  await using gateway = await openHandGateway((id) => [letIn(id), asked({ server: 'secret', tool: 'read' })]);
  const servers = toldServers(toldServer('secret', { agents: ['work'] }));
  const tool = { server: 'secret', name: 'read', exposed: 'secret__read', definition: { inputSchema: {} } };
  const hub = toldHub({ ...servers, 'GET tools': [tool], 'POST tokens/ensure': { token: 'x' } });
  const node = startNode(gateway, folder.path, hub);
  node.publish(servers['GET status'] as HubStatus);
  expect(await eventually(() => methods(gateway).includes('node.invoke.result'))).toBe(true);
  const result = gateway.requests.find(({ method }) => method === 'node.invoke.result');
  expect(result?.params).toMatchObject({ ok: false, error: { code: 'TOOL_UNKNOWN' } });
  node.stop();
});

describe('gatewayAddress', () => {
  it('reads the port from arguments, environment or file', () => {
    const config = { gateway: { port: 1, auth: { mode: 'token', token: 't' } } };
    const env = { OPENCLAW_GATEWAY_PORT: '2' };
    const of = (...all: Parameters<typeof gatewayAddress>): string => gatewayAddress(...all).url;
    expect(of(config, env, ['gateway', 'run', '--port', '3'])).toBe('ws://127.0.0.1:3');
    expect(of(config, env, ['gateway', '--port=4'])).toBe('ws://127.0.0.1:4');
    expect(of(config, env, ['gateway'])).toBe('ws://127.0.0.1:2');
    expect(of(config, {}, [])).toBe('ws://127.0.0.1:1');
    expect(of({ gateway: { auth: { mode: 'none' } } }, {}, [])).toBe('ws://127.0.0.1:18789');
  });

  it('reads token or password from environment or file', () => {
    const of = (auth: object, env: Record<string, string> = {}): unknown =>
      gatewayAddress({ gateway: { auth } }, env, []).auth;
    expect(of({ mode: 'none' })).toBeUndefined();
    expect(of({ token: 't' }, { OPENCLAW_GATEWAY_TOKEN: 'e' })).toEqual({ token: 'e' });
    expect(of({ mode: 'password', password: 'p', token: 't' })).toEqual({ password: 'p' });
    expect(of({ mode: 'password' }, { OPENCLAW_GATEWAY_PASSWORD: 'e' })).toEqual({ password: 'e' });
  });

  it('throws if the gateway cannot be reached this way', () => {
    const unreachable = [{ auth: {} }, { tls: { enabled: true }, auth: { token: 't' } }];
    for (const gateway of unreachable)
      expect(() => gatewayAddress({ gateway }, {}, [])).toThrow(
        'OpenClaw cannot get the tools through a node',
      );
  });
});
