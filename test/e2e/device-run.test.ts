/** Programs that a real hub runs: each once, shown in full before, and ended with the hub. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { OpenApproval } from '../../packages/hub/src/core/approvals/approvals.ts';
import { startDevice, type DeviceHub, type DeviceOptions } from '../kit/device/device-hub.ts';
import { callText, textOf, type Answer } from '../kit/messages.ts';
import { eventually, isAlive } from '../kit/processes.ts';

async function device(options: DeviceOptions = {}): Promise<DeviceHub> {
  const hub = await startDevice(options);
  onTestFinished(() => hub[Symbol.asyncDispose]());
  return hub;
}

const run = (hub: DeviceHub, command: string[], more: object = {}): Promise<Answer> =>
  hub.command('system.run', { command, cwd: hub.folder, ...more });

/** The process ids that a program has written, once there are `count`. */
async function idsIn(hub: DeviceHub, count: number): Promise<number[]> {
  const path = join(hub.folder, 'ids');
  const read = (): number[] =>
    existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1).map(Number) : [];
  expect(await eventually(() => read().length >= count)).toBe(true);
  return read();
}

/** One process that ignores signals, and one that starts its own session. */
const FAMILY = [
  'sh',
  '-c',
  `trap "" TERM; echo $$ >>ids; setsid sh -c 'echo $$ >>ids; exec sleep 600' & sleep 600`,
];

const areGone = (ids: readonly number[]): Promise<boolean> => eventually(() => !ids.some(isAlive));

describe('a program with all its descendants', () => {
  it('ends at its timeout', async () => {
    const hub = await device();
    const answer = run(hub, FAMILY, { timeoutMs: 1_500 });
    const ids = await idsIn(hub, 2);
    expect(JSON.parse(textOf(await answer))).toMatchObject({ timedOut: true, exitCode: -1, success: false });
    expect(await areGone(ids)).toBe(true);
  });

  it('ends when the client disconnects', async () => {
    const hub = await device();
    const connection = hub.connect();
    const args = JSON.stringify({ command: FAMILY, cwd: hub.folder });
    const answer = connection.post(callText('system.run', { args }), { path: '/' });
    answer.catch(() => undefined);
    const ids = await idsIn(hub, 2);
    await connection.destroy();
    await expect(answer).rejects.toThrow();
    expect(await areGone(ids)).toBe(true);
  });

  it('ends when the hub ends', async () => {
    const hub = await device();
    run(hub, FAMILY).catch(() => undefined);
    const ids = await idsIn(hub, 2);
    expect(await hub.stop()).toBe(0);
    expect(await areGone(ids)).toBe(true);
  });

  it('ends when the hub is killed, without the help of another hub', async () => {
    const hub = await device();
    run(hub, FAMILY).catch(() => undefined);
    const ids = await idsIn(hub, 2);
    // A program killed in its first moment is cleaned up by the next hub.
    await new Promise((resolve) => setTimeout(resolve, 500));
    await hub.kill9();
    expect(await areGone(ids)).toBe(true);
  });
});

describe('a command that needs an approval', () => {
  const ASKS = { version: 1, defaults: { security: 'allowlist', ask: 'on-miss' } };
  const open = async (hub: DeviceHub, count: number): Promise<OpenApproval[]> => {
    let found: OpenApproval[] = [];
    const came = await eventually(async () => {
      found = ((await hub.control('GET', 'approvals')).value as OpenApproval[]).filter(
        ({ state }) => state === 'open',
      );
      return found.length === count;
    });
    expect(came).toBe(true);
    return found;
  };
  const allow = (hub: DeviceHub, { id }: OpenApproval) =>
    hub.control('POST', 'approvals', { id, decision: 'allowed' });

  it('runs exactly once, even if others wait', async () => {
    const hub = await device({ policy: ASKS });
    const names = ['a', 'b', 'a', 'c'];
    const answers = names.map((name) => run(hub, ['sh', '-c', `echo ${name} >>ran; echo ${name}`]));
    const questions = await open(hub, 3);
    const about = (name: string) => questions.find((each) => each.arguments.includes(`echo ${name} >>ran`))!;
    await allow(hub, about('b'));
    expect(JSON.parse(textOf(await answers[1]!))).toMatchObject({ stdout: 'b' });
    await allow(hub, about('a'));
    await Promise.race([answers[0], answers[2]]);
    // The same command again needs its own approval.
    await open(hub, 2);
    expect(readFileSync(join(hub.folder, 'ran'), 'utf8')).toBe('b\na\n');
    expect(await hub.stop()).toBe(0);
    await Promise.allSettled(answers);
    expect(readFileSync(join(hub.folder, 'ran'), 'utf8')).toBe('b\na\n');
  });

  it('is shown with nothing hidden, and refused if it is too long to show', async () => {
    const hub = await device({ policy: ASKS });
    const words = ['echo', 'a\u202Egnp.exe', 'b\u200B', 'c\nArguments: {}', '\u001b[2K', 'd\u00A0e'];
    const answer = run(hub, words);
    const [question] = await open(hub, 1);
    expect(question!.arguments).toMatch(/^[\x20-\x7e]*$/);
    expect((JSON.parse(question!.arguments) as { argv: string[] }).argv).toEqual(words);
    await allow(hub, question!);
    expect(JSON.parse(textOf(await answer))).toMatchObject({ stdout: words.slice(1).join(' ').trimEnd() });
    const long = await run(hub, ['echo', 'x'.repeat(20_000), '; rm -rf /']);
    expect(JSON.stringify(long)).toContain('command-too-long-to-show');
    await open(hub, 0);
  });

  it('does not run if a file that it names was replaced before the decision', async () => {
    const hub = await device({ policy: ASKS });
    const script = join(hub.folder, 'job');
    for (const command of [
      ['sh', 'job'],
      ['sh', '-c', 'sh ./job.sh'],
      ['setsid', 'sh', 'job'],
    ]) {
      for (const name of [script, `${script}.sh`]) writeFileSync(name, 'echo fine');
      const answer = run(hub, command);
      const [question] = await open(hub, 1);
      for (const name of [script, `${script}.sh`]) writeFileSync(name, 'echo >>evil');
      await allow(hub, question!);
      expect(JSON.stringify(await answer)).toContain('changed since it was checked: operands');
    }
    expect(existsSync(join(hub.folder, 'evil'))).toBe(false);
  });
});
