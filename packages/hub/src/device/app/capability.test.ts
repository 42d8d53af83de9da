import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { recordedPorts, runCommand } from '../../../../../test/kit/device-ports.ts';
import type { Payload } from '../registry/capability.ts';
import { createAppCapability } from './capability.ts';
import type { AppParts, GatewayState } from './facts.ts';
import { verifies } from '../../../../../test/verifies.ts';

const CONNECTED: GatewayState = {
  connectionStatus: 'Connected',
  nodeConnected: true,
  nodePaired: true,
  nodePendingApproval: false,
  gatewayVersion: '2026.9.6',
};

const ANSWERS: Record<string, unknown> = {
  'sessions.list': {
    sessions: [
      {
        key: 'agent:main:main',
        model: 'm',
        updatedAt: Date.now() - 7_200_000,
        inputTokens: 3,
        outputTokens: 4,
      },
      { key: 'agent:other:x', totalTokens: 9 },
    ],
  },
  'node.list': {
    nodes: [
      {
        nodeId: 'n1',
        displayName: 'Desk',
        platform: 'linux',
        connected: true,
        caps: ['a'],
        commands: ['b', 'c'],
      },
    ],
  },
  'agents.list': { agents: [{ id: 'main', apiKey: 'sk-very-secret' }] },
  'config.get': {
    parsed: {
      gateway: { port: 18_789, auth: { mode: 'token', token: 'hush' } },
      agents: { list: [{ id: 'main' }] },
      env: { OPENAI_API_KEY: 'hush' },
    },
  },
};

interface Setup {
  state?: GatewayState | undefined;
  answers?: Record<string, unknown>;
  settings?: Record<string, unknown>;
}

function app({ state, answers = ANSWERS, settings = {} }: Setup = {}) {
  const asked: string[] = [];
  const set: [string, boolean][] = [];
  const parts: AppParts = {
    gateway: () =>
      state && {
        state: () => state,
        request<T>(method: string): Promise<T> {
          asked.push(method);
          return method in answers
            ? Promise.resolve(answers[method] as T)
            : Promise.reject(new Error('/no/way'));
        },
      },
    settings: {
      get: (key) => settings[key],
      set: (key, value) => Promise.resolve(void set.push([key, value])),
    },
  };
  const capability = createAppCapability(recordedPorts({}), parts);
  return {
    asked,
    set,
    capability,
    /** Also checks the payload against the output schema. */
    async run(name: string, args: object = {}): Promise<Payload> {
      const command = capability.commands.get(`app.${name}`)!;
      const payload = await runCommand(command, args);
      const strict = command.output instanceof z.ZodObject ? command.output.strict() : command.output;
      if (name !== 'config.get') expect(strict.parse(payload)).toEqual(payload);
      return payload;
    },
  };
}

it('is only for MCP clients', () => {
  verifies('000-history-app-mcp-only');
  expect(app().capability).toMatchObject({ category: 'app', only: 'mcp' });
});

describe('without a gateway', () => {
  it('reports no gateway', async () => {
    const { run } = app();
    expect(await run('status')).toEqual({
      connectionStatus: 'Disconnected',
      nodeConnected: false,
      nodePaired: false,
      nodePendingApproval: false,
      gatewayVersion: null,
      sessionCount: 0,
      nodeCount: 0,
    });
    expect(await run('menu')).toEqual([
      { type: 'status', status: 'Disconnected' },
      { type: 'sessions', count: 0 },
      { type: 'nodes', count: 0 },
    ]);
    expect(await run('config.get')).toEqual({ error: 'Config not loaded' });
    for (const name of ['sessions', 'agents', 'nodes'])
      await expect(run(name)).rejects.toMatchObject({
        message: 'No gateway is configured',
        notExecuted: true,
      });
  });
});

describe('with a gateway', () => {
  it('returns its state and its counts', async () => {
    verifies('000-history-app-status');
    const { run } = app({ state: CONNECTED });
    expect(await run('status')).toEqual({ ...CONNECTED, sessionCount: 2, nodeCount: 1 });
    expect(await run('menu')).toEqual([
      { type: 'status', status: 'Connected' },
      { type: 'sessions', count: 2 },
      { type: 'nodes', count: 1 },
    ]);
  });

  it('does not connect to read the state, and returns null for an unknown count', async () => {
    verifies('000-history-on-demand');
    const away = app({
      state: { ...CONNECTED, connectionStatus: 'Disconnected', gatewayVersion: undefined },
    });
    expect(await away.run('status')).toMatchObject({
      gatewayVersion: null,
      sessionCount: null,
      nodeCount: null,
    });
    expect(await away.run('search', { query: 'agent:' })).toEqual([]);
    expect(away.asked).toEqual([]);
    const silent = app({ state: CONNECTED, answers: {} });
    expect(await silent.run('status')).toMatchObject({ sessionCount: null, nodeCount: null });
  });

  it('lists sessions, also of one agent', async () => {
    verifies('000-history-session-fields');
    const { run } = app({ state: CONNECTED });
    const main = { key: 'agent:main:main', status: 'active', model: 'm', ageText: '2h ago', tokens: 7 };
    const other = { key: 'agent:other:x', status: 'active', model: null, ageText: '', tokens: 9 };
    expect(await run('sessions')).toEqual([main, other]);
    expect(await run('sessions', { agentId: 'MAIN' })).toEqual([main]);
    expect(await run('sessions', { agentId: 'ma' })).toEqual([]);
    expect(await run('sessions', { agentId: 5 })).toHaveLength(2);
  });

  it('lists nodes and agents', async () => {
    verifies('000-history-app-agents', '000-history-app-nodes');
    const { run } = app({ state: CONNECTED });
    expect(await run('nodes')).toEqual([
      {
        displayName: 'Desk',
        nodeId: 'n1',
        isOnline: true,
        platform: 'linux',
        capabilityCount: 1,
        commandCount: 2,
      },
    ]);
    expect(await run('agents')).toEqual([{ id: 'main', apiKey: '[redacted]' }]);
  });

  it.each([null, 'x', {}, { sessions: 'x', nodes: [5], agents: {} }])(
    'treats %j as an empty list',
    async (answer) => {
      verifies('000-history-gateway-silent');
      const answers = Object.fromEntries(
        ['sessions.list', 'node.list', 'agents.list'].map((name) => [name, answer]),
      );
      const { run } = app({ state: CONNECTED, answers });
      for (const name of ['sessions', 'nodes', 'agents']) expect(await run(name)).toEqual([]);
    },
  );

  it('reports that the gateway did not answer, without its own error text', async () => {
    verifies('000-history-gateway-silent');
    const failed = await app({ state: CONNECTED, answers: {} })
      .run('nodes')
      .catch((error: unknown) => error);
    expect(failed).toMatchObject({
      message: 'The gateway did not answer',
      hint: expect.not.stringContaining('/no/way') as string,
    });
  });
});

describe('app.config.get', () => {
  const { run } = app({ state: CONNECTED });

  it('shows no secret on any path', async () => {
    const whole = await run('config.get');
    expect(whole).toMatchObject({ gateway: { port: 18_789 }, agents: { list: [{ id: 'main' }] } });
    const paths = [
      'gateway',
      'gateway.auth',
      'gateway.auth.token',
      'gateway.auth.mode',
      'env',
      'env.OPENAI_API_KEY',
    ];
    const parts = await Promise.all(paths.map((path) => run('config.get', { path })));
    expect(JSON.stringify([whole, ...parts])).not.toContain('hush');
    expect(parts[2]).toEqual({ value: '[redacted]' });
  });

  it('follows a path', async () => {
    expect(await run('config.get', { path: 'gateway.port' })).toEqual({ value: 18_789 });
    expect(await run('config.get', { path: 'agents.list' })).toEqual([{ id: 'main' }]);
    expect(await run('config.get', { path: 'agents.list.0.id' })).toEqual({ value: 'main' });
    for (const path of ['nothing', 'gateway.port.x', 'agents.__proto__', 'constructor', 'agents..list'])
      expect(await run('config.get', { path })).toEqual({ error: `Path not found: ${path}` });
  });
});

it('app.navigate reports that there are no pages', async () => {
  verifies('000-history-app-navigate');
  expect(await app().run('navigate', { page: 'home' })).toEqual({
    navigated: false,
    page: 'home',
    reason: 'Pincer has no pages: there is no dashboard.',
  });
});

it.each([
  ['navigate', {}, 'page'],
  ['navigate', { page: ' ' }, 'page'],
  ['settings.get', { name: 5 }, 'name'],
  ['settings.set', { value: 'false' }, 'name'],
  ['settings.set', { name: 'NodeScreenEnabled' }, 'value'],
  ['search', {}, 'query'],
])('app.%s with %j reports the missing argument %s', async (name, args, missing) => {
  await expect(app().run(name, args)).rejects.toThrow(`Missing required arg: ${missing}`);
});

it('app.search finds at most ten names by a part', async () => {
  verifies('000-history-app-search');
  const { run } = app({
    state: CONNECTED,
    settings: { 'device.capabilities.screen': true },
  });
  expect(await run('search', { query: 'SCREEN' })).toEqual([
    { title: 'NodeScreenEnabled', subtitle: 'Setting device.capabilities.screen: on', icon: 'setting' },
  ]);
  expect(await run('search', { query: 'agent:main' })).toEqual([
    { title: 'agent:main:main', subtitle: 'Session: active', icon: 'session' },
  ]);
  expect(await run('search', { query: 'desk' })).toEqual([
    { title: 'Desk', subtitle: 'Node: linux', icon: 'node' },
  ]);
  expect(await run('search', { query: 'e' })).toHaveLength(10);
});

it('app.search takes entries of which the gateway tells nothing but the id', async () => {
  verifies('000-history-app-search');
  const { run } = app({
    state: CONNECTED,
    answers: {
      'sessions.list': { sessions: [{ key: 'bare' }] },
      'node.list': { nodes: [{ nodeId: 'bare' }] },
    },
  });
  expect(await run('search', { query: 'BARE' })).toEqual([
    { title: 'bare', subtitle: 'Session: active', icon: 'session' },
    { title: 'bare', subtitle: 'Node: ', icon: 'node' },
  ]);
});

describe('settings', () => {
  const SCREEN = 'device.capabilities.screen';

  it('are readable only by the names of other nodes', async () => {
    const { run } = app({ settings: { [SCREEN]: true, 'agent.gatewayToken': 'hush' } });
    expect(await run('settings.get', { name: 'nodescreenenabled' })).toEqual({
      name: 'NodeScreenEnabled',
      value: true,
    });
    expect(await run('settings.get', { name: 'NodeCameraEnabled' })).toEqual({
      name: 'NodeCameraEnabled',
      value: false,
    });
    for (const name of ['Token', 'agent.gatewayToken', SCREEN, '__proto__'])
      expect(await run('settings.get', { name })).toEqual({ error: `Setting '${name}' is not accessible` });
  });

  it('can be switched off, but not on', async () => {
    verifies('000-history-app-settings-set');
    const on = app({ settings: { [SCREEN]: true } });
    expect(await on.run('settings.set', { name: 'NodeScreenEnabled', value: 'False' })).toEqual({
      name: 'NodeScreenEnabled',
      value: false,
    });
    expect(on.set).toEqual([[SCREEN, false]]);
    const off = app({ settings: { [SCREEN]: false } });
    await expect(off.run('settings.set', { name: 'NodeScreenEnabled', value: 'true' })).rejects.toMatchObject(
      {
        message: "Setting 'NodeScreenEnabled' can only be switched off by a client",
        hint: expect.stringContaining('pincer device on screen') as string,
        notExecuted: true,
      },
    );
    expect(off.set).toEqual([]);
  });

  it('accept the current value without writing', async () => {
    const { run, set } = app({ settings: { [SCREEN]: true } });
    expect(await run('settings.set', { name: 'NodeScreenEnabled', value: true })).toEqual({
      name: 'NodeScreenEnabled',
      value: true,
    });
    expect(set).toEqual([]);
  });

  it('exclude read-only settings from app.settings.set', () => {
    const choices = (name: string): unknown => {
      const schema = z.toJSONSchema(app().capability.commands.get(name)!.input, { io: 'input' });
      return schema.properties!['name'];
    };
    expect(choices('app.settings.get')).toMatchObject({
      enum: expect.arrayContaining(['ShowNotifications', 'NodeScreenEnabled']) as unknown,
    });
    expect(choices('app.settings.set')).toMatchObject({
      enum: expect.arrayContaining(['NodeScreenEnabled']) as unknown,
    });
    expect(JSON.stringify(choices('app.settings.set'))).not.toContain('ShowNotifications');
    expect(app().capability.commands.get('app.settings.set')!.description).not.toContain('ShowNotifications');
  });

  it('refuse unknown and read-only settings', async () => {
    const { run, set } = app({ settings: { 'policy.notify': true } });
    await expect(run('settings.set', { name: 'Token', value: 'x' })).rejects.toThrow(
      "Setting 'Token' is not accessible",
    );
    await expect(run('settings.set', { name: 'ShowNotifications', value: 'false' })).rejects.toThrow(
      'cannot be changed',
    );
    expect(set).toEqual([]);
  });
});
