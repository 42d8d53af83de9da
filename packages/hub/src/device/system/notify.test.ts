import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordedPorts, runCommand, type Machine } from '../../../../../test/kit/device-ports.ts';
import { placePrograms } from '../../../../../test/kit/device/placed-programs.ts';
import { notifyCommands } from './notify.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pincer-notify-'));
  placePrograms(folder, 'notify-send');
});
afterAll(() => rmSync(folder, { recursive: true }));

const linux = (): Machine => ({ env: { PATH: folder, DISPLAY: ':0', SECRET: 'x' } });

async function notify(
  machine: Machine,
  args: object,
): Promise<{ payload: unknown; args: readonly string[] }> {
  const ports = recordedPorts(machine);
  const payload = await runCommand(notifyCommands(ports).commands['system.notify'], args);
  expect(ports.runs).toHaveLength(1);
  return { payload, args: ports.runs[0]!.args };
}

describe('system.notify', () => {
  it('accepts the arguments of Windows nodes, and answers in both dialects', async () => {
    const { payload, args } = await notify(linux(), {
      title: 'Hi',
      subtitle: 'sub',
      body: 'there',
      sound: false,
    });
    expect(payload).toEqual({ sent: true, ok: true });
    expect(args).toEqual([
      '--app-name=Pincer',
      '--urgency=normal',
      '--hint=boolean:suppress-sound:true',
      '--',
      'Hi',
      'sub\nthere',
    ]);
  });

  it.each([
    ['passive', ['--urgency=low', '--hint=boolean:suppress-sound:true']],
    ['active', ['--urgency=normal']],
    ['timeSensitive', ['--urgency=critical']],
    ['--icon=/x', ['--urgency=normal']],
    [7, ['--urgency=normal']],
  ])('accepts the priorities of other nodes: %s', async (priority, options) => {
    const { args } = await notify(linux(), { title: 'Hi', body: '', priority });
    expect(args.slice(1, -3)).toEqual(options);
  });

  it.each([
    [{ body: 'there' }, 'OpenClaw'],
    [{ title: ' ', body: 'there' }, 'OpenClaw'],
    [{ title: 5, subtitle: 'sub' }, 'OpenClaw'],
    [{ title: 'zero \0', body: 'x' }, 'zero \u{FFFD}'],
    [{ title: 'x'.repeat(1_000) }, `${'x'.repeat(255)}…`],
  ])('always has a title: %j', async (given, title) => {
    const { args } = await notify(linux(), given);
    expect(args.at(-2)).toBe(title);
  });

  it.each([{}, { title: '', body: '' }, { title: ' ', body: '\n' }])(
    'refuses an empty notification: %j',
    async (args) => {
      const ports = recordedPorts(linux());
      await expect(runCommand(notifyCommands(ports).commands['system.notify'], args)).rejects.toMatchObject({
        message: 'INVALID_REQUEST: empty notification',
        code: 'INVALID_REQUEST',
        notExecuted: true,
      });
      expect(ports.runs).toEqual([]);
    },
  );

  it('passes on only a part of the environment', async () => {
    const ports = recordedPorts(linux());
    await runCommand(notifyCommands(ports).commands['system.notify'], { body: 'x' });
    expect(ports.runs[0]!.env).toEqual({ PATH: folder, DISPLAY: ':0' });
  });

  it.each(['darwin', 'win32'] as const)('runs the program of the system on %s', async (platform) => {
    const { payload } = await notify({ platform }, { title: '-l', body: 'x' });
    expect(payload).toEqual({ sent: true, ok: true });
  });
});

describe('a notification fails', () => {
  it.each([
    ['notify-send is missing', { PATH: '/nowhere', DISPLAY: ':0' }, 'libnotify-bin'],
    ['there is no desktop', { PATH: 'here' }, 'DBUS_SESSION_BUS_ADDRESS'],
  ])('if %s', async (_why, env, hint) => {
    const ports = recordedPorts({ env: { ...env, PATH: env.PATH === 'here' ? folder : env.PATH } });
    const { commands, readiness } = notifyCommands(ports);
    await expect(runCommand(commands['system.notify'], { body: 'x' })).rejects.toMatchObject({
      message: 'Notifications not available',
      hint: expect.stringContaining(hint) as string,
      notExecuted: true,
    });
    expect(readiness()).toEqual([
      expect.objectContaining({ available: false, hint: expect.stringContaining(hint) as string }),
    ]);
    expect(ports.runs).toEqual([]);
  });

  it('if the desktop rejects it, without the output of the program', async () => {
    const stderr = Buffer.from('org.freedesktop.Notifications at /run/user/0');
    const ports = recordedPorts({ ...linux(), answer: () => ({ exitCode: 1, stderr }) });
    const failed = await runCommand(notifyCommands(ports).commands['system.notify'], { body: 'x' }).catch(
      (error: unknown) => error,
    );
    expect(failed).toMatchObject({
      message: 'Notification failed',
      hint: expect.stringContaining('dunst') as string,
      notExecuted: false,
    });
    expect((failed as { hint: string }).hint).not.toContain('/run/user');
  });

  it('if it was cancelled', async () => {
    const ports = recordedPorts({ ...linux(), answer: () => ({ kind: 'aborted', exitCode: null }) });
    await expect(runCommand(notifyCommands(ports).commands['system.notify'], { body: 'x' })).rejects.toThrow(
      'cancelled',
    );
  });
});

it.each([
  [linux, 'notify-send'],
  [() => ({ platform: 'darwin' as const }), 'osascript'],
  [() => ({ platform: 'win32' as const }), 'PowerShell (toast)'],
])('reports the backend of notifications: %#', (machine, backend) => {
  expect(notifyCommands(recordedPorts(machine())).readiness()).toEqual([
    { commands: ['system.notify'], available: true, backend },
  ]);
});
