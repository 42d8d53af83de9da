/** This machine as a node of the real gateway: paired by its own command line, asked by people and by agents, and back after a restart. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { OPERATOR } from '../../packages/hub/src/openclaw/handshake.ts';
import { openSocket, type GatewaySocket } from '../../packages/hub/src/openclaw/socket.ts';
import { openIdentity } from '../../packages/hub/src/owner/device-identity.ts';
import { openCliHome, type CliHome, type Started } from '../kit/cli.ts';
import { whenApplied } from '../kit/openclaw/applied.ts';
import { openHost } from '../kit/openclaw/host.ts';
import type { Operator } from '../kit/openclaw/operator.ts';
import { TOKEN } from '../kit/openclaw/profile.ts';
import { eventually } from '../kit/processes.ts';
import { stdioServer } from '../kit/servers.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import type { JsonObject } from '../servers/json.ts';

const host = openHost(inject('openclaw'));
const { profile } = host;
const ALLOW = 'gateway.nodes.commands.allow';
const SLOW_MS = 300_000;
const SCOPES = [
  'operator.read',
  'operator.write',
  'operator.admin',
  'operator.approvals',
  'operator.pairing',
];
const reviewerHome = temporaryFolder('device-node');
const gatewayBefore = profile.readConfig()['gateway'];

let home: CliHome;
let operator: Operator;
/** A person at the gateway, and what they say to the next questions. */
let reviewer: GatewaySocket;
let decision: 'allow-once' | 'deny' = 'deny';
let nodeId = '';

const ENV = {
  // The other suites of this folder have no machine.
  PINCER_DEVICE: 'on',
  OPENCLAW_STATE_DIR: profile.state,
  OPENCLAW_CONFIG_PATH: profile.configFile,
  OPENCLAW_GATEWAY_TOKEN: TOKEN,
  PINCER_KEYCHAIN: 'off',
};

beforeAll(async () => {
  home = openCliHome();
  home.configure(
    { far: stdioServer({ tools: ['echo'] }) },
    { device: { publish: ['far', 'agent'], capabilities: { canvas: false, tts: false } } },
  );
  nodeId = openIdentity(home.path).id;
  await arrive();
});
afterAll(async () => {
  profile.writeConfig({ ...profile.readConfig(), gateway: gatewayBefore });
  reviewer.close();
  await operator[Symbol.asyncDispose]();
  await home[Symbol.asyncDispose]();
  reviewerHome[Symbol.dispose]();
  await whenApplied(host);
});

async function arrive(): Promise<void> {
  operator = await host.operator(SCOPES);
  const purpose = { ...OPERATOR, scopes: ['operator.admin', 'operator.approvals'], caps: ['exec-approvals'] };
  const visitor = {
    identity: openIdentity(reviewerHome.path),
    auth: { token: TOKEN },
    purpose,
    ending: new AbortController().signal,
  };
  const address = { url: `ws://127.0.0.1:${profile.port}`, credential: undefined, how: 'a test' };
  reviewer = await openSocket(address, visitor, (event, payload) => {
    const { id } = payload as { id?: string };
    if (event === 'exec.approval.requested') void reviewer.request('exec.approval.resolve', { id, decision });
  });
}

/** `pincer node pair`, and what it says that has to be run on the gateway. */
async function pair(): Promise<string> {
  const pairing = home.start(['node', 'pair', '--wait', '120'], { env: ENV });
  await approveAsTold(pairing);
  const { code, stdout, stderr } = await pairing.ended;
  expect(code, stderr).toBe(0);
  return stdout;
}

async function approveAsTold({ child, ended }: Started): Promise<void> {
  let stderr = '';
  child.stderr!.on('data', (chunk) => (stderr += String(chunk)));
  const command = (): string | undefined => /^ {2}openclaw (nodes approve [0-9a-f-]{36})$/m.exec(stderr)?.[1];
  const isOver = { now: false };
  void ended.then(() => (isOver.now = true));
  await eventually(() => command() !== undefined || isOver.now, 60_000);
  expect(command(), stderr).toBeDefined();
  await host.openclawOk(command()!.split(' '));
}

const invoke = (command: string, params: object = {}): Promise<JsonObject> =>
  operator.rpc('node.invoke', { nodeId, command, params, idempotencyKey: crypto.randomUUID() });

const rowOf = (text: string, command: string): string | undefined =>
  text
    .split('\n')
    .find((line) => line.includes(` ${command} `))
    ?.trim();

describe('pincer node pair', () => {
  test(
    'says what to approve, and then what the gateway allows and what it blocks, with the line that changes that',
    async () => {
      const first = await pair();
      expect(rowOf(first, 'system.which')).toBe('✓ system.which  allowed');
      expect(rowOf(first, 'device.info')).toBe('✗ device.info  blocked');
      const [, list = ''] = new RegExp(`^ {2}openclaw config set ${ALLOW} '(.*)'$`, 'm').exec(first) ?? [];
      expect(JSON.parse(list)).toEqual(['device.info', 'device.status']);
      await expect(invoke('device.info')).rejects.toThrow('not in the allowlist');

      await host.openclawOk(['config', 'set', ALLOW, list]);
      const second = await pair();
      expect(second).toContain('✓ device.info  allowed');
      expect(second).not.toContain('blocked');
    },
    SLOW_MS,
  );
});

describe('a command of the gateway', () => {
  test('is done on this machine, and answered as other nodes answer', async () => {
    expect(await invoke('system.which', { bins: ['sh', 'no-such-program'] })).toMatchObject({
      payload: { bins: { sh: expect.stringMatching(/\/sh$/) } },
    });
    expect(await invoke('device.info')).toMatchObject({ payload: { systemName: expect.any(String) } });
    expect(await invoke('device.status', { sections: ['cpu'] })).toMatchObject({
      payload: { cpu: { logicalProcessors: expect.any(Number) } },
    });
    expect(await operator.rpc('exec.approvals.node.get', { nodeId })).toMatchObject({ file: { version: 1 } });
    const { commands = [] } = await operator.rpc('node.describe', { nodeId });
    expect(commands).toEqual(
      expect.arrayContaining(['system.run', 'system.run.prepare', 'mcp.tools.call.v1']),
    );
    expect((commands as string[]).filter((each) => each.startsWith('app.'))).toEqual([]);
  });

  test('comes from openclaw nodes invoke as well', async () => {
    const args = ['--command', 'system.which', '--params', '{"bins":["sh"]}'];
    expect(await host.openclawOk(['nodes', 'invoke', '--node', nodeId, ...args])).toContain('/sh');
  });

  test('that runs a program is asked about here, where nobody has been asked there', async () => {
    const params = { command: ['/bin/echo', 'unasked'], timeoutMs: 1_000 };
    const asked = operator.rpc('node.invoke', {
      nodeId,
      command: 'system.run',
      params: { ...params, approved: undefined },
      timeoutMs: 6_000,
      idempotencyKey: crypto.randomUUID(),
    });
    await expect(asked).rejects.toThrow('needs the approval of a person');
  });
});

describe('an agent of the gateway', () => {
  const mark = (): string => join(profile.folder, `ran-${crypto.randomUUID()}`);
  const run = (command: string): string => `call:exec ${JSON.stringify({ command, host: 'node' })}`;

  test('runs a program here when a person at the gateway has allowed it, and not when they have not', async () => {
    const path = mark();
    decision = 'allow-once';
    expect(await operator.chat('agent:main:node-exec', run(`touch ${path} && echo done`))).toContain('done)');
    expect(existsSync(path)).toBe(true);
    const other = mark();
    decision = 'deny';
    expect(await operator.chat('agent:main:node-exec', run(`touch ${other}`))).not.toContain('done)');
    expect(existsSync(other)).toBe(false);
  });

  test('has the tools of other sources that are published, and never OpenClaw itself', async () => {
    expect(await operator.chat('agent:main:node-tool', 'call:far__echo {"message":"by a node"}')).toBe(
      'RESULT(by a node)',
    );
    const asked = await host.asked('by a node');
    const names = asked.flatMap(({ tools }) => tools.map(({ name }) => name));
    expect(names.filter((name) => /order_openclaw|pincer_probe/.test(name))).toEqual([]);
  });
});

test(
  'a gateway that starts again has its node back, without a new approval',
  async () => {
    await host.gateway().stop();
    await host.startGateway();
    await arrive();
    const isBack = async (): Promise<boolean> =>
      invoke('system.which', { bins: ['sh'] }).then(
        ({ ok }) => ok === true,
        () => false,
      );
    expect(await eventually(isBack, 90_000, 500)).toBe(true);
  },
  SLOW_MS,
);
