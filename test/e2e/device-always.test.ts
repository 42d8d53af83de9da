/** A real hub: only what a person has seen runs, once or always, and programs cannot change the state folder. */
import { execFile } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { OpenApproval } from '../../packages/hub/src/core/approvals/approvals.ts';
import { startDevice, type DeviceHub } from '../kit/device/device-hub.ts';
import { ENTRY } from '../kit/hub.ts';
import { textOf, type Answer } from '../kit/messages.ts';
import { eventually } from '../kit/processes.ts';

const ASKS = { version: 1, defaults: { security: 'allowlist', ask: 'on-miss' } };

async function device(policy?: object): Promise<DeviceHub> {
  const hub = await startDevice(policy === undefined ? {} : { policy });
  onTestFinished(() => hub[Symbol.asyncDispose]());
  return hub;
}

const run = (hub: DeviceHub, command: string[]): Promise<Answer> =>
  hub.command('system.run', { command, cwd: hub.folder });

async function question(hub: DeviceHub): Promise<OpenApproval> {
  let open: OpenApproval | undefined;
  const find = async (): Promise<boolean> => {
    const all = (await hub.control('GET', 'approvals')).value as OpenApproval[];
    open = all.find(({ state }) => state === 'open');
    return open !== undefined;
  };
  expect(await eventually(find)).toBe(true);
  return open!;
}

const pincer = (hub: DeviceHub, ...args: string[]): Promise<string> =>
  new Promise((resolve) => {
    const env = { ...process.env, NO_COLOR: '1', PINCER_HOME: hub.home, PINCER_DEVICE: 'on' };
    execFile(process.execPath, [ENTRY, ...args], { env }, (_, stdout, stderr) => resolve(stdout + stderr));
  });

describe('a command whose files cannot all be listed', () => {
  it('is shown with what is not covered, cannot be allowed for good, and runs once as shown', async () => {
    const hub = await device(ASKS);
    writeFileSync(join(hub.folder, 'Makefile'), 'test:\n\t@echo seen\n');
    const answer = run(hub, ['make', 'test']);
    const { id } = await question(hub);
    const shown = await pincer(hub, 'approvals', 'show', id);
    expect(shown).toContain(join(hub.folder, 'Makefile'));
    expect(shown).toMatch(/not covered\s+make reads its makefile and all included files/);
    expect(shown).toMatch(/only once\s+make runs code from files that cannot all be listed/);
    expect(shown).not.toContain('--always');
    expect(await pincer(hub, 'approvals', 'allow', id, '--always')).toContain(
      'This command cannot be allowed for good: make runs code from files that cannot all be listed.',
    );
    await pincer(hub, 'approvals', 'allow', id);
    expect(JSON.parse(textOf(await answer))).toMatchObject({ stdout: 'seen' });
  });

  it('does not run if its Makefile was replaced while the approval was open', async () => {
    const hub = await device(ASKS);
    writeFileSync(join(hub.folder, 'Makefile'), 'test:\n\t@echo seen\n');
    const answer = run(hub, ['make', 'test']);
    const { id } = await question(hub);
    writeFileSync(join(hub.folder, 'Makefile'), 'test:\n\t@echo >evil\n');
    await hub.control('POST', 'approvals', { id, decision: 'allowed' });
    expect(JSON.stringify(await answer)).toContain('changed since it was checked: operands');
    expect(existsSync(join(hub.folder, 'evil'))).toBe(false);
  });
});

describe('an allowlist entry', () => {
  it('is suspended when its program has changed, and `pincer device` reports it', async () => {
    const hub = await device(ASKS);
    const own = join(hub.folder, 'own');
    copyFileSync('/usr/bin/true', own);
    const first = run(hub, ['./own']);
    const { id } = await question(hub);
    expect(await pincer(hub, 'approvals', 'allow', id, '--always')).toContain('every time it is the same');
    expect(JSON.parse(textOf(await first))).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(textOf(await run(hub, ['./own'])))).toMatchObject({ exitCode: 0 });
    copyFileSync('/usr/bin/id', own);
    const said = (await pincer(hub, 'device')).replaceAll(/\s+/g, ' ');
    expect(said).toContain(`Suspended: \`./own\` (${own} has changed)`);
    const second = run(hub, ['./own']);
    await question(hub);
    await hub.stop();
    await second.catch(() => undefined);
  });
});

describe('the state folder', () => {
  it('needs an approval even if every program may run', async () => {
    const hub = await device();
    expect(JSON.parse(textOf(await run(hub, ['echo', 'hi'])))).toMatchObject({ stdout: 'hi' });
    const answer = run(hub, ['cat', join(hub.home, 'admin-token.txt')]);
    const { arguments: text, id } = await question(hub);
    expect(text).toContain("it names Pincer's state folder");
    await hub.control('POST', 'approvals', { id, decision: 'denied' });
    expect(JSON.stringify(await answer)).not.toContain(
      readFileSync(join(hub.home, 'admin-token.txt'), 'utf8').trim(),
    );
  });

  it('denies everything if other users can write to the policy', async () => {
    const hub = await device();
    const path = join(hub.home, 'exec-approvals.json');
    chmodSync(path, 0o666);
    const refused = JSON.stringify(await run(hub, ['echo', 'hi']));
    expect(refused).toContain(
      'exec-approvals.json can be written by other users (mode 666), so nothing runs.',
    );
    expect(refused).toContain(`chmod 600 ${path}`);
    chmodSync(path, 0o600);
    expect(JSON.parse(textOf(await run(hub, ['echo', 'hi'])))).toMatchObject({ stdout: 'hi' });
  });
});
