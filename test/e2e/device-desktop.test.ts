/** Notifications, the clipboard and speech, with real programs on a real desktop. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../packages/hub/src/core/limits.ts';
import { createClipboardCapability } from '../../packages/hub/src/device/clipboard/capability.ts';
import { findProgram } from '../../packages/hub/src/device/programs/find-program.ts';
import { wavDurationMs } from '../../packages/hub/src/device/tts/players.ts';
import { realPorts, runCommand } from '../kit/device-ports.ts';
import { startDesktop, type Desktop } from '../kit/desktop.ts';
import { startDevice, type DeviceHub } from '../kit/device/device-hub.ts';
import { textOf, type Answer } from '../kit/messages.ts';
import { descendants, eventually, isSame } from '../kit/processes.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const NO_DESKTOP = { DISPLAY: '', WAYLAND_DISPLAY: '', DBUS_SESSION_BUS_ADDRESS: '', XDG_RUNTIME_DIR: '' };
const device = { capabilities: { clipboard: true } };
/** Audio players that come before the system's own in PATH and record their input. */
const players = temporaryFolder('players');

function playBy(script: string): void {
  const path = join(players.path, 'pw-play');
  writeFileSync(path, `#!/bin/sh\ncd "$(dirname "$0")"\n${script}\n`);
  chmodSync(path, 0o700);
}

let desktop: Desktop;
let hub: DeviceHub;
beforeAll(async () => {
  desktop = await startDesktop();
  const path = `${players.path}:${process.env['PATH']}`;
  hub = await startDevice({
    device,
    env: { ...NO_DESKTOP, ...desktop.env, PATH: path, PULSE_SERVER: 'unix:/nowhere' },
  });
});
afterAll(async () => {
  await hub[Symbol.asyncDispose]();
  await desktop[Symbol.asyncDispose]();
  players[Symbol.dispose]();
});

const payloadOf = (answer: Answer): Record<string, unknown> =>
  JSON.parse(textOf(answer)) as Record<string, unknown>;
const onScreen = (...args: string[]): string =>
  execFileSync('xclip', ['-selection', 'clipboard', ...args], {
    env: { ...process.env, ...desktop.env },
    encoding: 'utf8',
    stdio: 'pipe',
  });

describe('a notification', () => {
  it('is shown as plain text, and reported as sent only then', async () => {
    const body = String.raw`<b>x</b> \074i\076 C:\new`;
    const args = { title: '--icon=/etc/passwd', subtitle: 'between', body, priority: 'timeSensitive' };
    expect(payloadOf(await hub.command('system.notify', args))).toEqual({ sent: true, ok: true });
    expect(await eventually(() => desktop.shown().includes('id: '))).toBe(true);
    const shown = desktop.shown();
    expect(shown).toContain("summary: '--icon=/etc/passwd'");
    expect(shown).toContain(String.raw`&lt;b&gt;x&lt;/b&gt; \074i\076 C:\new`);
    expect(shown).toContain('between\n');
    expect(shown).toContain('urgency: CRITICAL');
  });

  it('fails with a hint if no program shows notifications', async () => {
    const env = { ...NO_DESKTOP, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' };
    await using alone = await startDevice({ device, env });
    const failed = await alone.command('system.notify', { body: 'x' });
    expect(failed.result).toMatchObject({ isError: true });
    expect(textOf(failed)).toMatch(/^Notification failed\. .*dunst/);
    expect(textOf(failed)).not.toContain('/nowhere');
    const read = await alone.command('clipboard.read');
    expect(read.result).toMatchObject({ isError: true });
    expect(textOf(read)).toMatch(/^clipboard\.read cannot work on this machine: .*desktop session/);
  });
});

describe('the clipboard', () => {
  it('returns what was written, and what other programs copied', async () => {
    const text = 'héllo 🦀\n  --help\n';
    expect(payloadOf(await hub.command('clipboard.write', { text }))).toEqual({ written: true, bytes: 21 });
    expect(onScreen('-out')).toBe(text);
    expect(payloadOf(await hub.command('clipboard.read'))).toEqual({ text });
    spawnSync('xclip', ['-selection', 'clipboard', '-in', '-loops', '1'], {
      input: 'of another program',
      stdio: ['pipe', 'ignore', 'ignore'],
      env: { ...process.env, ...desktop.env },
    });
    expect(payloadOf(await hub.command('clipboard.read'))).toEqual({ text: 'of another program' });
    expect(payloadOf(await hub.command('clipboard.read'))).toEqual({ text: '' });
  });

  it('accepts long and empty texts, one after the other', async () => {
    const long = 'ü'.repeat(512 * 1024);
    const wrote = await Promise.all([
      hub.command('clipboard.write', { text: 'short' }),
      hub.command('clipboard.write', { text: long }),
    ]);
    expect(wrote.map(payloadOf)).toEqual([
      { written: true, bytes: 5 },
      { written: true, bytes: 1_048_576 },
    ]);
    expect(payloadOf(await hub.command('clipboard.read'))['text']).toBe(long);
    const tooLong = await hub.command('clipboard.write', { text: `${long}x` });
    expect(textOf(tooLong)).toContain('exceeds 1048576 bytes');
    expect(payloadOf(await hub.command('clipboard.write', { text: '' }))).toEqual({
      written: true,
      bytes: 0,
    });
    expect(payloadOf(await hub.command('clipboard.read'))).toEqual({ text: '' });
  });

  it('is held by one program, which ends with the hub', async () => {
    await using other = await startDevice({ device, env: { ...NO_DESKTOP, ...desktop.env } });
    for (const text of ['first', 'second']) await other.command('clipboard.write', { text });
    const keepers = (): unknown[] =>
      descendants(other.pid).filter(
        ({ pid }) => !readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('pincer-guard'),
      );
    expect(await eventually(() => keepers().length === 1)).toBe(true);
    expect(onScreen('-out')).toBe('second');
    expect(await other.stop()).toBe(0);
    expect(() => onScreen('-out')).toThrow('not available');
  });

  it('works the same with xsel', async () => {
    const folder = join(players.path, 'xsel-only');
    mkdirSync(folder);
    symlinkSync(findProgram('xsel', process.env)!, join(folder, 'xsel'));
    const capability = createClipboardCapability(realPorts({ ...desktop.env, PATH: folder }), {
      limits: DEFAULT_LIMITS,
    });
    expect(await capability.readiness?.()).toMatchObject([{ available: true, backend: 'xsel' }]);
    await runCommand(capability.commands.get('clipboard.write'), { text: 'by xsel\n' });
    expect(onScreen('-out')).toBe('by xsel\n');
    expect(await runCommand(capability.commands.get('clipboard.read'))).toEqual({ text: 'by xsel\n' });
    await capability.close?.();
    expect(() => onScreen('-out')).toThrow('not available');
  });
});

describe('speech', () => {
  const TEXT = 'The quick brown fox jumps over the lazy dog.';
  const speak = (args: object): Promise<Answer> => hub.command('tts.speak', { text: TEXT, ...args });

  it('is returned as content if requested', async () => {
    const { base64, ...rest } = payloadOf(await speak({ output: 'return', provider: 'espeak-ng' }));
    const wav = Buffer.from(base64 as string, 'base64');
    expect(wav.toString('latin1', 0, 4)).toBe('RIFF');
    const durationMs = wavDurationMs(wav)!;
    expect(durationMs).toBeGreaterThan(1_500);
    expect(durationMs).toBeLessThan(6_000);
    expect(rest).toEqual({
      spoken: false,
      provider: 'espeak-ng',
      requestedProvider: 'espeak-ng',
      fellBack: false,
      contentType: 'audio/wav',
      durationMs,
      format: 'wav',
    });
    const onMcp = await hub.call('device__tts_speak', { text: TEXT, output: 'return' });
    expect(onMcp.result?.['content']).toMatchObject([
      { type: 'text' },
      { type: 'audio', mimeType: 'audio/wav', data: base64 },
    ]);
    expect(onMcp.result?.['structuredContent']).not.toHaveProperty('base64');
  });

  it('is reported as spoken only after it was played', async () => {
    playBy('cp "$1" heard.wav');
    const said = payloadOf(await speak({}));
    expect(said).toMatchObject({ spoken: true, provider: 'espeak-ng', contentType: 'audio/wav' });
    expect(wavDurationMs(readFileSync(join(players.path, 'heard.wav')))).toBe(said['durationMs']);
    playBy('echo "no device /dev/snd" >&2; exit 1');
    const failed = await speak({});
    expect(failed.result).toMatchObject({ isError: true });
    expect(textOf(failed)).toMatch(/^Speak failed\. .*output "return"/);
    expect(textOf(failed)).not.toContain('/dev/snd');
    expect(textOf(await speak({ voiceId: 'nosuch' }))).toContain('No voice has this name');
  });

  it('ends when another one interrupts it', async () => {
    playBy('if [ -e playing ]; then exit 0; fi; touch playing; sleep 600 & wait');
    const before = new Set(descendants(hub.pid).map(({ pid }) => pid));
    const first = speak({});
    expect(await eventually(() => existsSync(join(players.path, 'playing')))).toBe(true);
    const playing = descendants(hub.pid).filter(({ pid }) => !before.has(pid));
    expect(playing.length).toBeGreaterThan(0);
    expect(payloadOf(await speak({ interrupt: true }))).toMatchObject({ spoken: true });
    expect(textOf(await first)).toBe('Speak canceled');
    expect(playing.filter(isSame)).toEqual([]);
  });
});
