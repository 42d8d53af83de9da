/** This machine as a node of a gateway that has our plugin: the hub that the plugin keeps is the node. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { openIdentity } from '../../packages/hub/src/owner/device-identity.ts';
import { openCliHome, type CliHome, type Ran, type Started } from '../kit/cli.ts';
import { whenApplied } from '../kit/openclaw/applied.ts';
import { openHost } from '../kit/openclaw/host.ts';
import type { Operator } from '../kit/openclaw/operator.ts';
import { ownHub } from '../kit/openclaw/own-hub.ts';
import { eventually } from '../kit/processes.ts';
import type { JsonObject } from '../servers/json.ts';

const host = openHost(inject('openclaw'));
const { profile } = host;
const hub = ownHub(profile);
const HOME = join(profile.state, 'mcp');
const ALLOW = 'gateway.nodes.commands.allow';
/** A bound for several commands of the host on a busy machine. */
const SLOW_MS = 300_000;
const gatewayBefore = profile.readConfig()['gateway'] as JsonObject;
const hubConfigBefore = existsSync(hub.configFile) ? readFileSync(hub.configFile, 'utf8') : '{}';

let cli: CliHome;
let operator: Operator;
let nodeId = '';

beforeAll(async () => {
  cli = openCliHome();
  operator = await host.operator(['operator.read', 'operator.write', 'operator.admin', 'operator.pairing']);
  // What somebody has allowed for another node.
  profile.writeConfig({
    ...profile.readConfig(),
    gateway: { ...gatewayBefore, nodes: { commands: { allow: ['other.command'] } } },
  });
  await whenApplied(host);
});

afterAll(async () => {
  writeFileSync(hub.configFile, hubConfigBefore);
  if (nodeId !== '') await operator.rpc('node.pair.remove', { nodeId });
  profile.writeConfig({ ...profile.readConfig(), gateway: gatewayBefore });
  await whenApplied(host);
  await operator[Symbol.asyncDispose]();
  await cli[Symbol.asyncDispose]();
});

const pair = (...more: string[]): Started =>
  cli.start(['node', 'pair', ...more], { env: { ...profile.env, PINCER_HOME: HOME, PINCER_DEVICE: 'on' } });

const pendingId = async (): Promise<string | undefined> => {
  const { pending } = await operator.rpc('node.pair.list');
  return (pending as JsonObject[]).find((each) => each['nodeId'] === nodeId)?.['requestId'] as never;
};

/** Approves what waits, as soon as something does. */
async function approved({ ended }: Started): Promise<Ran> {
  let requestId: string | undefined;
  const isOver = { now: false };
  void ended.then(() => (isOver.now = true));
  await eventually(async () => isOver.now || (requestId = await pendingId()) !== undefined, 60_000, 200);
  if (requestId !== undefined) await operator.rpc('node.pair.approve', { requestId });
  return ended;
}

const allowListIn = (stdout: string): string =>
  new RegExp(`^ {2}openclaw config set ${ALLOW} '(.*)'$`, 'm').exec(stdout)?.[1] ?? '';

test(
  'the hub of the plugin is the node, and what the gateway allows already stays allowed',
  async () => {
    const pid = hub.pid();
    nodeId = openIdentity(HOME).id;
    const first = await approved(pair('--wait', '120'));
    expect([first.code, first.stdout], first.stderr).toEqual([
      0,
      expect.stringContaining('✓ system.which  allowed'),
    ]);
    expect(first.stdout).toContain('✗ device.info  blocked');
    expect(hub.pid()).toBe(pid);
    const params = { bins: ['sh'] };
    const asked = { nodeId, command: 'system.which', params, idempotencyKey: crypto.randomUUID() };
    expect(await operator.rpc('node.invoke', asked)).toMatchObject({ ok: true });

    const list = allowListIn(first.stdout);
    expect(JSON.parse(list)).toEqual(expect.arrayContaining(['other.command', 'device.info']));
    await host.openclawOk(['config', 'set', ALLOW, list]);
    await whenApplied(host);

    // Allowed by now, and approved by nobody.
    const second = await pair('--wait', '15').ended;
    expect([second.code, second.stdout], second.stderr).toEqual([
      3,
      expect.stringContaining('… device.info  awaits approval'),
    ]);
    expect(second.stdout).toContain(`openclaw nodes approve ${await pendingId()}`);
    expect(second.stdout).not.toContain('blocked');

    const third = await approved(pair('--wait', '120'));
    expect([third.code, third.stdout], third.stderr).toEqual([
      0,
      expect.stringContaining('✓ device.info  allowed'),
    ]);
  },
  SLOW_MS,
);

test('where the list of the gateway cannot be read, the line that is printed replaces none', async () => {
  const before = profile.readConfig()['gateway'];
  const line = ['config', 'set', ALLOW, '["device.info"]', '--expect-current-absent'];
  const { exitCode } = await host.openclaw(line);
  expect(exitCode).not.toBe(0);
  expect(profile.readConfig()['gateway']).toEqual(before);
});
