/** A machine that has nothing of the real gateway but a setup code. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { openIdentity } from '../../packages/hub/src/owner/device-identity.ts';
import { openCliHome, type Started } from '../kit/cli.ts';
import { openHost } from '../kit/openclaw/host.ts';
import type { Operator } from '../kit/openclaw/operator.ts';
import { eventually } from '../kit/processes.ts';
import type { JsonObject } from '../servers/json.ts';

const host = openHost(inject('openclaw'));
const url = `ws://127.0.0.1:${host.profile.port}`;
let operator: Operator;
beforeAll(async () => {
  operator = await host.operator(['operator.read', 'operator.admin', 'operator.pairing']);
});
afterAll(() => operator[Symbol.asyncDispose]());

/** What `openclaw nodes approve` does, once the machine has asked for it. */
async function approve(nodeId: string, machine: Started): Promise<void> {
  let said = '';
  machine.child.stderr!.on('data', (text) => (said += String(text)));
  expect(await eventually(() => said.includes('openclaw nodes approve'), 60_000)).toBe(true);
  let requestId: unknown;
  const isThere = async (): Promise<boolean> => {
    const { pending } = await operator.rpc('node.pair.list');
    requestId = (pending as JsonObject[]).find((each) => each['nodeId'] === nodeId)?.['requestId'];
    return requestId !== undefined;
  };
  expect(await eventually(isThere, 60_000, 200)).toBe(true);
  await operator.rpc('node.pair.approve', { requestId });
}

test('a setup code lets a machine in, once', async () => {
  await using home = openCliHome();
  const { setupCode } = (await operator.rpc('device.pair.setupCode', {
    publicUrl: url,
    bootstrapProfile: 'node',
    includeQr: false,
  })) as { setupCode: string };
  const pair = (): Started =>
    home.start(['node', 'pair', '--setup-code', setupCode, '--wait', '60'], {
      env: { HOME: home.path, PINCER_DEVICE: 'on', PINCER_KEYCHAIN: 'off' },
    });
  const identity = openIdentity(home.path);
  const first = pair();
  const tooSoon = first.ended.then((end) => {
    throw new Error(`It ended before it was approved: ${end.stderr}`);
  });
  await Promise.race([approve(identity.id, first), tooSoon]);
  tooSoon.catch(() => undefined);
  const { code, stdout, stderr } = await first.ended;
  expect([code, stdout], stderr).toEqual([0, expect.stringContaining('✓ system.which  allowed')]);
  expect(stdout + stderr).not.toContain(setupCode);

  const second = await pair().ended;
  expect(second.code).not.toBe(0);
  expect(second.stderr).toContain('refused the token');
  // The pairing of before stays as it is.
  expect(identity.tokenFor(url, 'node')).toBeDefined();
});

test('a gateway that refuses leaves this machine and the gateway as they were', async () => {
  await using home = openCliHome();
  await using folder = openCliHome();
  const tokenFile = join(folder.path, 'token');
  writeFileSync(tokenFile, 'not the token', { mode: 0o600 });
  const known = async (): Promise<unknown> => [
    (await operator.rpc('node.pair.list'))['pending'],
    (await operator.rpc('device.pair.list'))['pending'],
  ];
  const before = await known();
  const { code, stderr } = await home.run(['node', 'pair', '--url', url, '--token-file', tokenFile], {
    env: { HOME: folder.path, PINCER_DEVICE: 'on', PINCER_KEYCHAIN: 'off' },
  });
  expect([code, stderr]).toEqual([4, expect.stringContaining('refused the token')]);
  expect(readdirSync(home.path)).toEqual([]);
  expect(await known()).toEqual(before);
});
