/** A disabled capability is hidden, an enabled one is available at once, and programs run as the policy allows. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readHubFile } from '../kit/hub.ts';
import { startDevice, type DeviceHub } from '../kit/device/device-hub.ts';
import { callText, textOf, type Answer } from '../kit/messages.ts';
import { eventually } from '../kit/processes.ts';
import { listTools } from '../kit/proxy/mcp.ts';
import { connectSdk } from '../servers/sdk-clients.ts';
import { verifies } from '../verifies.ts';

const failed = (answer: Answer): boolean => answer.result?.['isError'] === true;

it('hub.json lists `/` as long as it is served', async () => {
  await using hub = await startDevice({ device: {} });
  const endpoint = (): string | undefined =>
    (readHubFile(hub.home)!['endpoints'] as { device?: string }).device;
  const file = join(hub.home, 'config.json');
  const text = readFileSync(file, 'utf8');
  expect(endpoint()).toBe(`${hub.origin}/`);
  writeFileSync(file, JSON.stringify({ ...(JSON.parse(text) as object), device: { mcpServer: false } }));
  expect(await eventually(() => endpoint() === undefined)).toBe(true);
  writeFileSync(file, text);
  expect(await eventually(() => endpoint() === `${hub.origin}/`)).toBe(true);
});

describe('a capability', () => {
  let hub: DeviceHub;
  beforeAll(async () => {
    hub = await startDevice({ device: {} });
  });
  afterAll(() => hub?.[Symbol.asyncDispose]());

  const configure = (capabilities: object): void => {
    const file = join(hub.home, 'config.json');
    const config = JSON.parse(readFileSync(file, 'utf8')) as object;
    writeFileSync(file, JSON.stringify({ ...config, device: { capabilities } }));
  };
  const namesOn = async (path: string): Promise<string[]> =>
    (await listTools(`${hub.origin}${path}`, { token: hub.token })).map(({ name }) => name);

  it.each(['/', '/mcp', '/mcp/device'])('that captures something is off on %s by default', async (path) => {
    verifies('000-security-capture-consent');
    const names = await namesOn(path);
    expect(names.some((name) => /device[._]info$/.test(name))).toBe(true);
    expect(names.filter((name) => /(?:screen|camera|location|clipboard)[._]/.test(name))).toEqual([]);
  });

  it.each(['screen.snapshot', 'screen.record', 'camera.snap', 'location.get', 'clipboard.read'])(
    'names the setting that enables it: %s',
    async (name) => {
      verifies('000-history-toggles');
      const [category = ''] = name.split('.');
      const onRoot = await hub.command(name);
      expect(failed(onRoot)).toBe(true);
      expect(textOf(onRoot)).toContain(category);
      expect(textOf(onRoot)).toMatch(/pincer device|device\.capabilities/);
      const onHub = await hub.call(`device__${name.replaceAll('.', '_')}`);
      expect(onHub.error !== undefined || failed(onHub)).toBe(true);
      expect(JSON.stringify(onHub)).toMatch(/pincer device|device\.capabilities/);
    },
  );

  it.each([
    ['legacy', '/'],
    ['modern', '/'],
    ['legacy', '/mcp'],
    ['modern', '/mcp'],
  ] as const)('is available once enabled, and a %s client on %s is notified', async (era, path) => {
    verifies('000-bridge-live-list', '000-history-toggle-reconnect');
    configure({ camera: false });
    expect(await eventually(async () => !(await hub.commands()).includes('camera.list'))).toBe(true);
    const headers = { authorization: `Bearer ${hub.token}` };
    await using client = await connectSdk(era, `${hub.origin}${path}`, headers);
    const isListed = async (): Promise<boolean> =>
      (await client.listTools()).some((name) => /camera[._]list$/.test(name));
    expect(await isListed()).toBe(false);
    let told = 0;
    await client.onToolsChanged(() => told++);
    // A running call continues.
    const mark = join(hub.folder, `${era}${path.length}`);
    const running = hub.command('system.run', {
      command: [
        process.execPath,
        '-e',
        `const t = setInterval(() => require('fs').existsSync(${JSON.stringify(mark)}) && clearInterval(t), 20)`,
      ],
    });
    configure({ camera: true });
    // The first notification may be about the previous change.
    expect(await eventually(async () => told > 0 && (await isListed()))).toBe(true);
    expect(await hub.commands()).toContain('camera.list');
    writeFileSync(mark, '');
    expect(JSON.parse(textOf(await running))).toMatchObject({ exitCode: 0 });
  });

  it('that runs programs can be disabled separately', async () => {
    configure({ systemRun: false });
    expect(await eventually(async () => !(await hub.commands()).includes('system.run'))).toBe(true);
    const names = await hub.commands();
    expect(names).not.toContain('system.run.prepare');
    expect(names).toEqual(expect.arrayContaining(['system.which', 'system.execApprovals.get']));
    const mark = join(hub.folder, 'off');
    const answer = await hub.command('system.run', { command: ['touch', mark] });
    expect(failed(answer)).toBe(true);
    expect(textOf(answer)).toContain('systemRun');
    expect(existsSync(mark)).toBe(false);
  });
});

describe('a program', () => {
  const touch = (hub: DeviceHub, name: string): { path: string; args: { command: string[] } } => {
    const path = join(hub.folder, name);
    return { path, args: { command: ['touch', path] } };
  };

  it('runs, and returns its output and its exit code', async () => {
    verifies('000-summary-system-run');
    await using hub = await startDevice();
    const script = 'console.log("out"); console.error("err"); process.exitCode = 3';
    const answer = await hub.command('system.run', { command: [process.execPath, '-e', script] });
    expect(failed(answer)).toBe(false);
    expect(JSON.parse(textOf(answer))).toMatchObject({
      stdout: expect.stringContaining('out') as string,
      stderr: expect.stringContaining('err') as string,
      exitCode: 3,
      timedOut: false,
    });
  });

  it.each([
    ['denied', { version: 1, defaults: { security: 'deny', ask: 'off', askFallback: 'deny' } }],
    ['on no list', { version: 1, defaults: { security: 'allowlist', ask: 'off', askFallback: 'deny' } }],
    ['under a policy that nobody can read', { version: 7 }],
  ])('does not run if it is %s, on either address', async (_label, policy) => {
    verifies('000-security-exec-gate');
    await using hub = await startDevice({ policy, limits: { approvalWaitMs: 200 } });
    const { path, args } = touch(hub, 'denied');
    const onRoot = await hub.command('system.run', args);
    expect(failed(onRoot)).toBe(true);
    const onHub = await hub.call('device__system_run', args);
    expect(onHub.error !== undefined || failed(onHub)).toBe(true);
    expect(existsSync(path)).toBe(false);
  });

  it('does not run if the configuration denies it, which is the result of the call', async () => {
    await using hub = await startDevice({ device: { policy: { 'system.run': 'deny' } } });
    const { path, args } = touch(hub, 'denied');
    const answer = await hub.command('system.run', args);
    expect(failed(answer)).toBe(true);
    expect(textOf(answer)).toMatch(/denies|denied/);
    expect(existsSync(path)).toBe(false);
  });

  it('waits for an approval without a policy, and runs what was allowed', async () => {
    await using hub = await startDevice({ policy: null, limits: { approvalWaitMs: 300 } });
    const { path, args } = touch(hub, 'asked');
    const first = await hub.command('system.run', args);
    expect(failed(first)).toBe(true);
    expect(existsSync(path)).toBe(false);
    const id = /pincer approvals allow ([0-9a-f]+)/.exec(textOf(first))?.[1];
    expect(id, textOf(first)).toBeDefined();
    // What was shown is what would run.
    const { value } = await hub.control('GET', 'approvals');
    expect(JSON.stringify(value)).toContain(path);
    await hub.control('POST', 'approvals', { id, decision: 'allowed' });
    const other = touch(hub, 'another');
    expect(failed(await hub.command('system.run', other.args))).toBe(true);
    expect(failed(await hub.command('system.run', args))).toBe(false);
    expect([existsSync(path), existsSync(other.path)]).toEqual([true, false]);
  });

  it('is judged by the policy that a client has tightened', async () => {
    verifies('000-summary-exec-approvals-get', '000-summary-exec-approvals-set');
    await using hub = await startDevice();
    const before = JSON.parse(textOf(await hub.command('system.execApprovals.get'))) as Record<
      string,
      unknown
    >;
    expect(before).toMatchObject({ file: { version: 1, defaults: { security: 'full' } } });
    const file = { version: 1, defaults: { security: 'deny', ask: 'off', askFallback: 'deny' } };
    expect(failed(await hub.command('system.execApprovals.set', { file }))).toBe(true);
    const set = await hub.command('system.execApprovals.set', { file, baseHash: before['hash'] });
    expect(failed(set), textOf(set)).toBe(false);
    const { path, args } = touch(hub, 'tightened');
    expect(failed(await hub.command('system.run', args))).toBe(true);
    expect(existsSync(path)).toBe(false);
    const now = JSON.parse(textOf(await hub.command('system.execApprovals.get'))) as Record<string, unknown>;
    const back = { file: { version: 1, defaults: { security: 'full', ask: 'off' } }, baseHash: now['hash'] };
    expect(failed(await hub.command('system.execApprovals.set', back))).toBe(true);
    expect(failed(await hub.command('system.run', args))).toBe(true);
  });

  it('does not run if the request has no id', async () => {
    await using hub = await startDevice();
    const { path, args } = touch(hub, 'silent');
    const body = callText('system.run', { args: JSON.stringify(args) }).replace('"id":1,', '');
    expect((await hub.ask(body)).text).toBe('');
    await hub.command('device.info');
    expect(existsSync(path)).toBe(false);
  });
});
