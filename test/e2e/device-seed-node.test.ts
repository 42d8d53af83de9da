/**
 * Seed 000, "Single capability registry": a gateway can call the same commands as MCP clients, under the same
 * conditions.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startDevice, type DeviceHub } from '../kit/device/device-hub.ts';
import { textOf } from '../kit/messages.ts';
import { eventText, responseText, welcomeText } from '../kit/openclaw/gateway-texts.ts';
import { openHandGateway, type HandGateway } from '../kit/openclaw/fake-gateway.ts';
import { eventually } from '../kit/processes.ts';
import { connectSdk } from '../servers/sdk-clients.ts';
import { verifies } from '../verifies.ts';

let gateway: HandGateway;
let hub: DeviceHub;
beforeAll(async () => {
  gateway = await openHandGateway(
    (id) => [welcomeText(id, { maxPayload: 26_214_400 })],
    ({ id }) => [responseText(id, {})],
  );
  hub = await startDevice({ device: { nodeMode: true, gatewayUrl: gateway.url } });
  if (!(await eventually(() => nodes().length > 0))) throw new Error('the node has not come');
});
afterAll(async () => {
  await hub?.[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
});

interface Registration {
  role: string;
  caps: string[];
  commands: string[];
  device: { id: string };
}
const nodes = (): Registration[] =>
  gateway.requests.flatMap(({ method, params }) => (method === 'connect' ? [params as Registration] : []));

interface Result {
  id: string;
  ok: boolean;
  payload?: unknown;
  payloadJSON?: string;
  error?: { code?: string; message?: string };
}
let count = 0;
/** Invokes a command on the node as the gateway does. */
async function invoke(command: string, args: object = {}): Promise<Result> {
  const id = `invoke-${++count}`;
  gateway.say(
    eventText('node.invoke.request', {
      id,
      nodeId: nodes().at(-1)?.device.id,
      command,
      paramsJSON: JSON.stringify(args),
      timeoutMs: 20_000,
      idempotencyKey: id,
    }),
  );
  const find = (): Result | undefined =>
    gateway.requests
      .filter(({ method }) => method === 'node.invoke.result')
      .map(({ params }) => params as Result)
      .find((result) => result.id === id);
  if (!(await eventually(() => find() !== undefined))) throw new Error(`no result of ${command}`);
  return find()!;
}
const payloadOf = ({ payload, payloadJSON }: Result): unknown =>
  payloadJSON === undefined ? payload : JSON.parse(payloadJSON);

it('announces every working command, under its name on /', async () => {
  verifies('000-goals-one-registry', '000-registry-gateway-announce', '000-history-app-mcp-only');
  const [node] = nodes();
  const names = await hub.commands();
  expect(node?.role).toBe('node');
  for (const command of node?.commands ?? []) expect(names).toContain(command);
  const some = [
    'system.run',
    'system.run.prepare',
    'system.which',
    'canvas.eval',
    'tts.status',
    'device.info',
  ];
  expect(node?.commands).toEqual(expect.arrayContaining(some));
  // The `app` commands are for MCP only.
  expect(node?.commands.filter((name) => name.startsWith('app.'))).toEqual([]);
  expect(node?.caps.toSorted()).toEqual(
    [...new Set(node?.commands.map((name) => name.split('.')[0]!))].toSorted(),
  );
});

it('returns the same result through the gateway and through MCP', async () => {
  verifies('000-bridge-call-dispatch');
  const own = JSON.parse(textOf(await hub.command('device.info'))) as unknown;
  const result = await invoke('device.info');
  expect([result.ok, payloadOf(result)]).toEqual([true, own]);
  const which = { bins: ['sh', 'no-such-program'] };
  expect(payloadOf(await invoke('system.which', which))).toEqual(
    JSON.parse(textOf(await hub.command('system.which', which))),
  );
  const failed = await invoke('system.which');
  expect([failed.ok, failed.error?.message]).toEqual([
    false,
    expect.stringContaining('Missing bins parameter'),
  ]);
});

it('applies switches and the exec policy to both', async () => {
  verifies('000-goals-same-consent');
  expect((await invoke('screen.snapshot')).ok).toBe(false);
  expect((await invoke('no.such')).ok).toBe(false);
  expect((await invoke('app.status')).ok).toBe(false);
  const path = join(hub.folder, 'by-the-gateway');
  const { hash } = JSON.parse(textOf(await hub.command('system.execApprovals.get'))) as { hash: string };
  const file = { version: 1, defaults: { security: 'deny', ask: 'off', askFallback: 'deny' } };
  await hub.command('system.execApprovals.set', { file, baseHash: hash });
  const run = await invoke('system.run', { command: ['touch', path] });
  expect(run.ok).toBe(false);
  const own = await hub.command('system.run', { command: ['touch', path] });
  expect(own.result?.['isError']).toBe(true);
  expect(existsSync(path)).toBe(false);
});

it('renews the registration after a switch changes, without disconnecting clients', async () => {
  verifies('000-history-toggle-reconnect', '000-history-toggles');
  await using client = await connectSdk('legacy', hub.root, { authorization: `Bearer ${hub.token}` });
  const before = nodes().length;
  expect(nodes().at(-1)?.commands).toContain('tts.speak');
  const file = join(hub.home, 'config.json');
  const config = JSON.parse(readFileSync(file, 'utf8')) as { device: object };
  writeFileSync(
    file,
    JSON.stringify({ ...config, device: { ...config.device, capabilities: { tts: false } } }),
  );
  expect(await eventually(() => nodes().length > before)).toBe(true);
  expect(
    nodes()
      .at(-1)
      ?.commands.filter((name) => name.startsWith('tts.')),
  ).toEqual([]);
  expect(await client.listTools()).not.toContain('tts.speak');
  expect((await invoke('tts.speak', { text: 'x' })).ok).toBe(false);
});
