/** A command that cannot work on this machine is not offered until it can. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDevice, type DeviceHub } from '../kit/device/device-hub.ts';
import { placePrograms } from '../kit/device/placed-programs.ts';
import { USES_DEVICE } from '../kit/device/policy.ts';
import { textOf } from '../kit/messages.ts';
import { eventually } from '../kit/processes.ts';
import { listTools } from '../kit/proxy/mcp.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { openCliHome, type CliHome } from '../kit/cli.ts';

/** The only folder in which the hub looks for programs. */
const programs = temporaryFolder('programs');
const ENV = { PATH: programs.path, DISPLAY: '', WAYLAND_DISPLAY: '', DBUS_SESSION_BUS_ADDRESS: '' };
let hub: DeviceHub;
let cli: CliHome;

beforeAll(async () => {
  hub = await startDevice({
    device: { capabilities: { clipboard: true, screen: true } },
    env: ENV,
    limits: { deviceLookMs: 300 },
  });
  cli = openCliHome();
});
afterAll(async () => {
  await hub?.[Symbol.asyncDispose]();
  await cli?.[Symbol.asyncDispose]();
  programs[Symbol.dispose]();
});

const run = (...words: string[]) =>
  cli.run(words, { env: { ...USES_DEVICE, ...ENV, PINCER_HOME: hub.home } });
const namesOn = async (path: string): Promise<string[]> =>
  (await listTools(`${hub.origin}${path}`, { token: hub.token })).map(({ name }) =>
    name.replace(/^device__/, '').replaceAll('_', '.'),
  );

describe('a command with a missing program', () => {
  it.each(['/', '/mcp', '/mcp/device'])('is not listed on %s', async (path) => {
    const names = await namesOn(path);
    expect(names).toEqual(
      expect.arrayContaining(['device.info', 'tts.status', 'system.run', 'system.which']),
    );
    for (const name of ['tts.speak', 'clipboard.read', 'screen.snapshot', 'system.notify'])
      expect(names).not.toContain(name);
  });

  it('is not among the tools of the command line, which reports the reason when it is called', async () => {
    expect((await run('tools', 'device')).stdout).not.toContain('tts.speak');
    const { code, stderr } = await run('call', 'device.tts.speak', 'text=hi');
    expect(code).toBe(2);
    expect(stderr).toMatch(/^tts\.speak cannot work on this machine: .*\nhint: Install /);
  });

  it('returns the reason to a client that calls it', async () => {
    const answer = await hub.command('tts.speak', { text: 'hi' });
    expect(answer.result?.['isError']).toBe(true);
    expect(textOf(answer)).toContain('tts.speak cannot work on this machine: ');
  });

  it('is explained by `pincer device` and `pincer doctor`', async () => {
    const { stdout } = await run('device');
    expect(stdout).toMatch(/tts\.speak/);
    expect((await run('doctor')).stdout).toMatch(/tts\.speak: on, but .*\n.*hint: Install /);
  });

  it('is listed and callable soon after the program is installed', async () => {
    placePrograms(programs.path, 'espeak-ng');
    expect(await eventually(async () => (await hub.commands()).includes('tts.speak'))).toBe(true);
    expect(await namesOn('/mcp')).toContain('tts.speak');
    expect(textOf(await hub.command('tts.speak', { text: 'hi' }))).not.toContain(
      'cannot work on this machine',
    );
  });
});
