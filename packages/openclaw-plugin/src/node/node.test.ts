import { expect, test } from 'vitest';
import { openIdentity, type HubStatus } from 'pincer/client';
import { openHandGateway, type HandGateway } from '../../../../test/kit/openclaw/hand-gateway.ts';
import { eventually } from '../../../../test/kit/processes.ts';
import { temporaryFolder } from '../../../../test/kit/temporary-folder.ts';
import { toldHub, toldServer, toldServers } from '../../../../test/kit/told-hub.ts';
import { startToolNode, type ToolNode } from './node.ts';

const letIn = (id: string): string => JSON.stringify({ type: 'res', id, ok: true, payload: {} });

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

test('a call that comes right behind the welcome is answered', async () => {
  using folder = temporaryFolder('node');
  await using gateway = await openHandGateway((id) => [letIn(id), asked({}, 'unknown')]);
  const node = startNode(gateway, folder.path);
  expect(await eventually(() => methods(gateway).includes('node.invoke.result'))).toBe(true);
  expect(gateway.requests[1]?.params).toMatchObject({ id: 'call', ok: false });
  node.stop();
});

test('it is another node than this machine, which a hub on the same folder may be', async () => {
  using folder = temporaryFolder('node');
  await using gateway = await openHandGateway((id) => [letIn(id)]);
  const node = startNode(gateway, folder.path);
  expect(await eventually(() => gateway.requests.length > 0)).toBe(true);
  const { device } = gateway.requests[0]!.params as { device: { id: string } };
  expect(device.id).toBe(openIdentity(folder.path, 'tools').id);
  expect(device.id).not.toBe(openIdentity(folder.path).id);
  node.stop();
});

test('a gateway that writes what is no message is left, and connected to again', async () => {
  using folder = temporaryFolder('node');
  await using gateway = await openHandGateway((id) => [letIn(id), '{']);
  const node = startNode(gateway, folder.path);
  expect(await eventually(() => gateway.requests.length >= 2)).toBe(true);
  node.stop();
});

test('a node that is stopped while it connects does not stay', async () => {
  using folder = temporaryFolder('node');
  await using gateway = await openHandGateway(() => []);
  const node = startNode(gateway, folder.path);
  expect(await eventually(() => gateway.requests.length === 1)).toBe(true);
  node.stop();
  expect(await eventually(() => gateway.connections.size === 0)).toBe(true);
});

test('a server that is for some agents alone cannot be called by its name either', async () => {
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
