/** Seed 000, its history: the `app` tools, with and without a gateway. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDevice, type DeviceHub } from '../kit/device/device-hub.ts';
import { textOf, type Answer } from '../kit/messages.ts';
import { responseText, welcomeText } from '../kit/openclaw/gateway-texts.ts';
import { openHandGateway, type HandGateway } from '../kit/openclaw/fake-gateway.ts';
import { verifies } from '../verifies.ts';

const NOW = Date.now();
const SESSIONS = [
  {
    key: 'agent:main:chat-1',
    status: 'running',
    model: 'small',
    updatedAt: NOW,
    totalTokens: 12,
    channel: 'main',
  },
  {
    key: 'agent:other:chat-2',
    status: '',
    model: 'large',
    updatedAt: NOW - 60_000,
    totalTokens: 3,
    channel: 'main',
  },
];
const NODES = [
  { nodeId: 'n1', displayName: 'Laptop', connected: true, platform: 'linux', caps: ['system', 'device'] },
];
const CONFIG = {
  agents: { defaults: { model: 'small' } },
  gateway: { port: 1, auth: { token: 'secret-of-the-gateway' } },
};

let sessions: object[] = SESSIONS;
let gateway: HandGateway;
let hub: DeviceHub;
beforeAll(async () => {
  gateway = await openHandGateway(
    (id) => [welcomeText(id)],
    ({ id, method }) => [
      responseText(
        id,
        {
          'sessions.list': { sessions, count: sessions.length },
          'node.list': { nodes: NODES },
          'agents.list': { defaultId: 'main', agents: [{ id: 'main', name: 'Main' }, { id: 'other' }] },
          'config.get': {
            config: CONFIG,
            parsed: CONFIG,
            raw: JSON.stringify(CONFIG),
            hash: 'h',
            exists: true,
            valid: true,
          },
        }[method] ?? {},
      ),
    ],
  );
  hub = await startDevice({
    device: { nodeMode: true, gatewayUrl: gateway.url },
    config: { agent: { gatewayUrl: gateway.url } },
  });
});
afterAll(async () => {
  await hub?.[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
});

const failed = (answer: Answer): boolean => answer.result?.['isError'] === true;
async function run(name: string, args: object = {}): Promise<unknown> {
  const answer = await hub.command(name, args);
  if (answer.result === undefined || failed(answer)) throw new Error(`${name}: ${JSON.stringify(answer)}`);
  return JSON.parse(textOf(answer));
}

it('app.sessions lists sessions by a prefix of their agent', async () => {
  verifies('000-history-app-sessions', '000-history-app-empty-sessions');
  const keys = async (args: object): Promise<string[]> =>
    ((await run('app.sessions', args)) as { key: string }[]).map(({ key }) => key);
  expect(await keys({})).toEqual(SESSIONS.map(({ key }) => key));
  expect(await keys({ agentId: 'other' })).toEqual(['agent:other:chat-2']);
  // Matches neither the channel nor a part of the name.
  expect(await keys({ agentId: 'oth' })).toEqual([]);
  sessions = [];
  expect(await keys({})).toEqual([]);
  sessions = SESSIONS;
});

it('app.agents and app.nodes list those of the gateway', async () => {
  verifies('000-history-app-agents', '000-history-app-nodes');
  expect(await run('app.agents')).toEqual([{ id: 'main', name: 'Main' }, { id: 'other' }]);
  expect(await run('app.nodes')).toMatchObject([
    { displayName: 'Laptop', nodeId: 'n1', isOnline: true, platform: 'linux', capabilityCount: 2 },
  ]);
});

it('app.status returns the state and the counts', async () => {
  verifies('000-history-app-status', '000-history-two-connections');
  await expect
    .poll(() => run('app.status'), { timeout: 20_000 })
    .toMatchObject({
      connectionStatus: 'Connected',
      nodeConnected: true,
      nodePaired: true,
      nodePendingApproval: false,
      sessionCount: 2,
      nodeCount: 1,
    });
  const roles = gateway.requests
    .filter(({ method }) => method === 'connect')
    .map(({ params }) => (params as { role: string }).role);
  expect(new Set(roles)).toEqual(new Set(['node', 'operator']));
});

it('app.config.get returns the configuration or a part of it, without secrets', async () => {
  verifies('000-history-app-config-get');
  const whole = await run('app.config.get');
  expect(whole).toMatchObject({ agents: CONFIG.agents });
  expect(JSON.stringify(whole)).not.toContain('secret-of-the-gateway');
  expect(await run('app.config.get', { path: 'agents.defaults' })).toEqual({ model: 'small' });
  expect(await run('app.config.get', { path: 'no.such' })).toEqual({ error: 'Path not found: no.such' });
  for (const path of ['__proto__', 'constructor.name', 'gateway.auth.token'])
    expect(JSON.stringify(await run('app.config.get', { path }))).not.toMatch(/secret-of|Object/);
});

it('app.navigate answers even if there is no window', async () => {
  verifies('000-history-app-navigate');
  const { navigated, page, reason } = (await run('app.navigate', { page: 'settings' })) as Record<
    string,
    unknown
  >;
  expect([navigated, page, reason]).toEqual([false, 'settings', expect.any(String)]);
  expect(textOf(await hub.command('app.navigate'))).toContain('Missing required arg: page');
});

it('app.menu contains the status, the sessions and the nodes', async () => {
  verifies('000-history-app-menu');
  expect(await run('app.menu')).toMatchObject([{ type: 'status' }, { type: 'sessions' }, { type: 'nodes' }]);
});

it('app.search finds at most ten commands', async () => {
  verifies('000-history-app-search');
  const found = async (query: string): Promise<string[]> =>
    ((await run('app.search', { query })) as { title: string }[]).map(({ title }) => title);
  expect(await found('NodeScreen')).toEqual(['NodeScreenEnabled']);
  expect(await found('chat-1')).toEqual(['agent:main:chat-1']);
  expect(await found('laptop')).toEqual(['Laptop']);
  expect(await found('e')).toHaveLength(10);
  expect(await run('app.search', { query: 'nothing of this name' })).toEqual([]);
});

it('all `app` tools return structured data', async () => {
  verifies('000-history-app-structured');
  for (const [name, args] of [
    ['app.status', {}],
    ['app.sessions', {}],
    ['app.nodes', {}],
    ['app.menu', {}],
    ['app.config.get', {}],
    ['app.settings.get', { name: 'EnableMcpServer' }],
    ['app.search', { query: 'e' }],
  ] as const) {
    expect(typeof (await run(name, args)), name).toBe('object');
    const { result } = await hub.command(name, args);
    expect(typeof result?.['structuredContent'], name).toBe('object');
  }
});

describe('settings', () => {
  it('reads only the listed settings', async () => {
    verifies('000-history-app-settings-get');
    expect(await run('app.settings.get', { name: 'EnableMcpServer' })).toEqual({
      name: 'EnableMcpServer',
      value: true,
    });
    for (const name of ['Token', 'GatewayUrl', 'mcp-token', '__proto__', 'toString', 'device.port']) {
      const answer = await hub.command('app.settings.get', { name });
      expect(textOf(answer)).toContain(`Setting '${name}' is not accessible`);
    }
  });

  it('changes only the listed settings, and never enables a capture capability', async () => {
    verifies('000-history-app-settings-set');
    for (const name of ['Token', 'GatewayUrl', '__proto__']) {
      const answer = await hub.command('app.settings.set', { name, value: 'true' });
      expect(textOf(answer)).toContain(`Setting '${name}' is not accessible`);
    }
    for (const what of ['Screen', 'Camera', 'Location']) {
      await hub.command('app.settings.set', { name: `Node${what}Enabled`, value: 'true' });
      expect(await run('app.settings.get', { name: `Node${what}Enabled` })).toMatchObject({ value: false });
    }
    expect((await hub.commands()).filter((name) => /^(?:screen|camera|location)\./.test(name))).toEqual([]);
    expect(await run('app.settings.set', { name: 'NodeTtsEnabled', value: 'false' })).toEqual({
      name: 'NodeTtsEnabled',
      value: false,
    });
    expect(await hub.commands()).not.toContain('tts.speak');
  });
});
