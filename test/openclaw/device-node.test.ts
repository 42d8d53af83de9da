/** This machine as a node of the real gateway: paired by its own command line, asked by people and by agents, and back after a restart. */
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { OPERATOR } from '../../packages/hub/src/openclaw/handshake.ts';
import { openSocket, type GatewaySocket } from '../../packages/hub/src/openclaw/socket.ts';
import { openIdentity } from '../../packages/hub/src/owner/device-identity.ts';
import { openCliHome, type CliHome, type Started } from '../kit/cli.ts';
import { startDesktop, type Desktop } from '../kit/desktop.ts';
import { whenApplied } from '../kit/openclaw/applied.ts';
import { openHost } from '../kit/openclaw/host.ts';
import { whenOffered } from '../kit/openclaw/offered.ts';
import type { Operator } from '../kit/openclaw/operator.ts';
import { TOKEN } from '../kit/openclaw/profile.ts';
import { eventually } from '../kit/processes.ts';
import { stdioServer } from '../kit/servers.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { servePage, type WebPage } from '../kit/web-page.ts';
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
const programs = temporaryFolder('device-programs');
const gatewayBefore = profile.readConfig()['gateway'];

let home: CliHome;
let desktop: Desktop;
let page: WebPage;
let operator: Operator;
/** A person at the gateway, and what they say to the next questions. */
let reviewer: GatewaySocket;
let decision: 'allow-once' | 'deny' = 'deny';
let nodeId = '';

const env = (): Record<string, string> => ({
  // The other suites of this folder have no machine.
  PINCER_DEVICE: 'on',
  OPENCLAW_STATE_DIR: profile.state,
  OPENCLAW_CONFIG_PATH: profile.configFile,
  OPENCLAW_GATEWAY_TOKEN: TOKEN,
  PINCER_KEYCHAIN: 'off',
  ...desktop.env,
  PATH: `${programs.path}:${process.env['PATH']}`,
  PULSE_SERVER: 'unix:/nowhere',
});

const FAKE_CAMERA = ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'];

beforeAll(async () => {
  desktop = await startDesktop();
  page = await servePage('<title>Elsewhere</title>');
  // A machine without loudspeakers.
  writeFileSync(join(programs.path, 'pw-play'), '#!/bin/sh\n', { mode: 0o700 });
  chmodSync(join(programs.path, 'pw-play'), 0o700);
  home = openCliHome();
  home.configure(
    { far: stdioServer({ tools: ['echo'] }) },
    {
      device: {
        publish: ['far', 'agent'],
        capabilities: { screen: true, camera: true, location: true, clipboard: false },
        position: { latitude: 52.5, longitude: 13.4 },
        browser: { args: FAKE_CAMERA, allow: [new URL(page.url).host] },
      },
    },
  );
  nodeId = openIdentity(home.path).id;
  await arrive();
});
afterAll(async () => {
  profile.writeConfig({ ...profile.readConfig(), gateway: gatewayBefore });
  reviewer.close();
  await operator[Symbol.asyncDispose]();
  await home[Symbol.asyncDispose]();
  await desktop[Symbol.asyncDispose]();
  await page[Symbol.asyncDispose]();
  programs[Symbol.dispose]();
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
  const pairing = home.start(['node', 'pair', '--wait', '120'], { env: env() });
  await approveAsTold(pairing);
  const { code, stdout, stderr } = await pairing.ended;
  expect(code, stderr).toBe(0);
  return stdout;
}

async function approveAsTold({ child, ended }: Started): Promise<void> {
  let said = '';
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk) => (said += String(chunk)));
  const command = (): string | undefined => /^ {2}openclaw (nodes approve [0-9a-f-]{36})$/m.exec(said)?.[1];
  const isOver = { now: false };
  void ended.then(() => (isOver.now = true));
  await eventually(() => command() !== undefined || isOver.now, 60_000);
  expect(command(), said).toBeDefined();
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
      const blocked = JSON.parse(list) as string[];
      expect(blocked).toEqual(
        expect.arrayContaining([
          'device.info',
          'device.status',
          'screen.record',
          'camera.snap',
          'canvas.eval',
        ]),
      );
      expect(blocked.filter((each) => /^(?:system|app)\./.test(each))).toEqual([]);
      await expect(invoke('screen.record')).rejects.toThrow(`${ALLOW} opt-in`);
      await expect(invoke('device.info')).rejects.toThrow('not in the allowlist');

      await host.openclawOk(['config', 'set', ALLOW, list]);
      const second = await pair();
      expect(second).toContain('✓ device.info  allowed');
      expect(second).not.toContain('blocked');
    },
    SLOW_MS,
  );
});

const A2UI = [
  {
    surfaceUpdate: {
      surfaceId: 'main',
      components: [{ id: 'root', component: { Text: { text: { literalString: 'Drawn' } } } }],
    },
  },
  { beginRendering: { surfaceId: 'main', root: 'root' } },
];
const jsonl = A2UI.map((line) => JSON.stringify(line)).join('\n');
const PICTURE = { base64: expect.stringMatching(/^[A-Za-z0-9+/]{100}/) };
const ANY = expect.anything() as unknown;

/** In an order in which they make sense. */
const each = (): readonly (readonly [command: string, params: object, payload: object])[] => [
  ['system.which', { bins: ['sh', 'no-such-program'] }, { bins: { sh: expect.stringMatching(/\/sh$/) } }],
  ['system.notify', { title: 'By a gateway' }, { sent: true }],
  [
    'system.run.prepare',
    { command: ['/bin/echo', 'hi'], rawCommand: '/bin/echo hi' },
    { plan: ANY, execPolicy: ANY },
  ],
  ['screen.snapshot', { maxWidth: 320 }, { format: 'png', width: 320, ...PICTURE }],
  ['screen.record', { durationMs: 300, fps: 5 }, { format: 'mp4', ...PICTURE }],
  ['camera.list', {}, { cameras: ANY, devices: ANY }],
  ['camera.snap', { maxWidth: 320 }, PICTURE],
  ['camera.clip', { durationMs: 300, includeAudio: false }, PICTURE],
  ['location.get', {}, { latitude: 52.5, lon: 13.4 }],
  ['canvas.present', { html: '<title>Mine</title>', width: 400, height: 300 }, { presented: true }],
  ['canvas.eval', { script: 'document.title' }, { result: 'Mine' }],
  ['canvas.snapshot', { maxWidth: 200 }, { format: 'png', ...PICTURE }],
  ['canvas.navigate', { url: page.url }, { navigated: true, url: page.url }],
  ['canvas.caps', {}, { eval: true }],
  ['canvas.a2ui.push', { jsonl }, { pushed: true }],
  ['canvas.a2ui.pushJSONL', { jsonl }, { pushed: true }],
  ['canvas.a2ui.dump', {}, { surfaceCount: 1 }],
  ['canvas.a2ui.reset', {}, { reset: true }],
  ['canvas.hide', {}, { hidden: true }],
  ['tts.status', {}, { providers: ANY }],
  ['tts.speak', { text: 'Hi' }, { spoken: true }],
  ['device.info', {}, { systemName: ANY }],
  ['device.status', { sections: ['cpu'] }, { cpu: ANY }],
];

/** Those that a gateway asks for in other ways. */
const OTHERWISE = ['mcp.tools.call.v1', 'system.execApprovals.get', 'system.execApprovals.set', 'system.run'];

describe('a command of the gateway', () => {
  test(
    'is done on this machine, and answered as other nodes answer: each that is declared',
    async () => {
      const { commands = [] } = await operator.rpc('node.describe', { nodeId });
      const rest = new Set(commands as string[]);
      for (const [command, params, payload] of each()) {
        const answer = await invoke(command, params).catch((error: unknown) => ({ error: String(error) }));
        expect([command, answer]).toEqual([
          command,
          expect.objectContaining({ payload: expect.objectContaining(payload) as object }),
        ]);
        rest.delete(command);
      }
      expect([...rest].toSorted()).toEqual(OTHERWISE.toSorted());
      expect(desktop.shown()).toContain('By a gateway');
    },
    SLOW_MS,
  );

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
    await whenOffered(host, operator, 'far__echo');
    expect(await operator.chat('agent:main:node-tool', 'call:far__echo {"message":"by a node"}')).toBe(
      'RESULT(by a node)',
    );
    const asked = await host.asked('by a node');
    const names = asked.flatMap(({ tools }) => tools.map(({ name }) => name));
    expect(names.filter((name) => /order_openclaw|pincer_probe/.test(name))).toEqual([]);
  });
});

/** As `openclaw approvals` reads and writes it. */
interface Approvals {
  hash: string;
  file: { version: number; defaults?: object };
}

test('the gateway makes the policy of this machine stricter, and never looser', async () => {
  const read = async (): Promise<Approvals> =>
    (await operator.rpc('exec.approvals.node.get', { nodeId })) as unknown as Approvals;
  const write = (file: object, baseHash: string): Promise<JsonObject> =>
    operator.rpc('exec.approvals.node.set', { nodeId, file, baseHash });
  const before = await read();
  expect(before.file).toMatchObject({ version: 1 });
  const strict = { ...before.file, defaults: { ...before.file.defaults, security: 'deny' } };
  await expect(write(strict, 'another')).rejects.toThrow(/changed|hash/i);
  await write(strict, before.hash);
  const after = await read();
  expect(after.file.defaults).toMatchObject({ security: 'deny' });
  await expect(write(before.file, after.hash)).rejects.toThrow('less restrictive');
  expect((await read()).file.defaults).toMatchObject({ security: 'deny' });
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
