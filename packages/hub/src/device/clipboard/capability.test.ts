import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../core/limits.ts';
import { placePrograms } from '../../../../../test/kit/device/placed-programs.ts';
import { recordedPorts, runCommand, type Machine } from '../../../../../test/kit/device-ports.ts';
import type { CommandContext } from '../registry/capability.ts';
import { createClipboardCapability } from './capability.ts';
import { clipboardPrograms } from './programs.ts';
import { verifies } from '../../../../../test/verifies.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pincer-clipboard-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A folder with just these programs. */
function pathWith(...names: string[]): string {
  const path = join(folder, names.join('+') || 'none');
  placePrograms(path, ...names);
  return path;
}

const nameOf = (env: Record<string, string>): string => {
  const found = clipboardPrograms('linux', env);
  return 'read' in found ? found.name : found.hint;
};
const scriptOf = (args: readonly string[]): string => Buffer.from(args.at(-1)!, 'base64').toString('utf16le');

describe('the program of the clipboard', () => {
  it('is chosen by the session and the installed programs', () => {
    const all = pathWith('wl-copy', 'wl-paste', 'xclip', 'xsel');
    expect(nameOf({ PATH: all, WAYLAND_DISPLAY: 'w', DISPLAY: ':0' })).toBe('wl-clipboard');
    expect(nameOf({ PATH: all, DISPLAY: ':0' })).toBe('xclip');
    expect(nameOf({ PATH: pathWith('xsel'), DISPLAY: ':0' })).toBe('xsel');
    expect(nameOf({ PATH: pathWith('xclip'), WAYLAND_DISPLAY: 'w', DISPLAY: ':0' })).toBe('xclip');
    expect(nameOf({ PATH: pathWith('wl-copy'), WAYLAND_DISPLAY: 'w' })).toBe('Install wl-clipboard.');
    expect(nameOf({ PATH: pathWith(), DISPLAY: ':0' })).toBe('Install xclip, or xsel.');
    expect(nameOf({ PATH: all })).toContain('desktop session');
  });

  it('stays in the foreground if it has to hold the text', () => {
    const env = { PATH: pathWith('wl-copy', 'wl-paste', 'xclip', 'xsel'), DISPLAY: ':0' };
    expect(clipboardPrograms('linux', env)).toMatchObject({
      read: { command: 'xclip', args: ['-selection', 'clipboard', '-out'] },
      write: { command: 'xclip', args: ['-selection', 'clipboard', '-in', '-quiet'] },
      isKept: true,
    });
    expect(clipboardPrograms('linux', { ...env, PATH: pathWith('xsel') })).toMatchObject({
      read: { command: 'xsel', args: ['--clipboard', '--output'] },
      write: { command: 'xsel', args: ['--clipboard', '--input', '--nodetach'] },
      isKept: true,
    });
    expect(clipboardPrograms('linux', { ...env, WAYLAND_DISPLAY: 'w' })).toMatchObject({
      read: { command: 'wl-paste', args: ['--no-newline', '--type', 'text'] },
      write: { command: 'wl-copy', args: ['--foreground', '--type', 'text/plain;charset=utf-8'] },
      isKept: true,
    });
  });

  it('gets a UTF-8 locale on macOS', () => {
    expect(clipboardPrograms('darwin', { HOME: '/Users/x', KEY: 'secret' })).toMatchObject({
      read: { command: '/usr/bin/pbpaste' },
      write: { command: '/usr/bin/pbcopy', args: [] },
      env: { HOME: '/Users/x', LC_CTYPE: 'UTF-8' },
      isKept: false,
    });
  });

  it('is a fixed script on Windows, without the text', () => {
    verifies('000-summary-other-systems');
    const found = clipboardPrograms('win32', { SystemRoot: String.raw`D:\Win` });
    if (!('read' in found)) throw new Error('there is one');
    expect(found.read.command).toBe(String.raw`D:\Win\System32\WindowsPowerShell\v1.0\powershell.exe`);
    expect(scriptOf(found.read.args)).toContain('Get-Clipboard -Format Text -Raw');
    expect(scriptOf(found.write.args)).toContain('[Console]::OpenStandardInput()');
  });
});

const on = (machine: Machine, limits = {}) => {
  const ports = recordedPorts(machine);
  const { commands } = createClipboardCapability(ports, { limits: { ...DEFAULT_LIMITS, ...limits } });
  return {
    ports,
    read: () => runCommand(commands.get('clipboard.read')),
    write: (args: object, context?: Partial<CommandContext>) =>
      runCommand(commands.get('clipboard.write'), args, context),
  };
};
const xclip = (answer: Machine['answer']): Machine => ({
  env: { PATH: pathWith('xclip'), DISPLAY: ':0' },
  ...(answer && { answer }),
});

describe('clipboard.read', () => {
  it('returns the text unchanged', async () => {
    const { read } = on({ platform: 'darwin', answer: () => ({ stdout: Buffer.from('a\r\nü 🦀\n') }) });
    expect(await read()).toEqual({ text: 'a\r\nü 🦀\n' });
  });

  it('is empty without a text, and fails without a clipboard', async () => {
    const says = (text: string) => xclip(() => ({ exitCode: 1, stderr: Buffer.from(text) }));
    expect(await on(says('Error: target STRING not available')).read()).toEqual({ text: '' });
    await expect(on(says("Error: Can't open display: :9")).read()).rejects.toMatchObject({
      message: 'Clipboard read failed',
      hint: expect.not.stringContaining(':9') as string,
    });
    await expect(on({ env: {} }).read()).rejects.toMatchObject({
      message: 'Clipboard not available',
      notExecuted: true,
    });
  });

  it('refuses a text that is too long, and can be cancelled', async () => {
    await expect(on(xclip(() => ({ kind: 'too-much' }))).read()).rejects.toThrow('exceeds 1048576 bytes');
    await expect(on(xclip(() => ({ kind: 'aborted' }))).read()).rejects.toThrow('cancelled');
  });
});

describe('clipboard.write', () => {
  it('does not touch the clipboard if it is cancelled before it starts', async () => {
    const { write, ports } = on(xclip(() => ({})));
    await expect(write({ text: 'mine' }, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      message: 'cancelled',
      notExecuted: true,
    });
    expect(ports.runs).toEqual([]);
  });

  it('passes the text only through stdin', async () => {
    const { ports, write } = on({ platform: 'win32' });
    expect(await write({ text: '$(id) ü' })).toEqual({ written: true, bytes: 8 });
    expect(ports.runs[0]!.input?.toString()).toBe('$(id) ü');
    expect(ports.runs[0]!.args.join(' ')).not.toContain('$(id)');
  });

  it('accepts an empty text, but not a missing or oversized one', async () => {
    const { write, ports } = on({ platform: 'darwin' });
    expect(await write({ text: '' })).toEqual({ written: true, bytes: 0 });
    await expect(write({})).rejects.toThrow('Missing text parameter');
    await expect(write({ text: 5 })).rejects.toThrow('Missing text parameter');
    await expect(write({ text: 'ü'.repeat(600_000) })).rejects.toThrow('exceeds 1048576 bytes');
    expect(ports.runs).toHaveLength(1);
  });

  it('has configurable limits', async () => {
    const { write, read, ports } = on({ platform: 'darwin' }, { maxClipboardBytes: 3, clipboardMs: 77 });
    await expect(write({ text: 'four' })).rejects.toThrow('Clipboard text exceeds 3 bytes');
    await write({ text: 'tea' });
    await read();
    expect(ports.runs.map(({ timeoutMs }) => timeoutMs)).toEqual([77, 77]);
    expect(ports.runs[1]!.maxBytes).toBe(3);
  });

  it('fails if another program takes the clipboard, or if its own program fails', async () => {
    const lost = on(xclip(({ input }) => (input === undefined ? { stdout: Buffer.from('other') } : {})));
    await expect(lost.write({ text: 'mine' })).rejects.toMatchObject({
      message: 'Clipboard write failed',
      hint: expect.stringContaining('Another program') as string,
    });
    const broken = on(xclip(() => ({ exitCode: 1 })));
    await expect(broken.write({ text: 'mine' })).rejects.toThrow('Clipboard write failed');
    await expect(
      on({ platform: 'darwin', answer: () => ({ exitCode: 1 }) }).write({ text: 'x' }),
    ).rejects.toThrow('Clipboard write failed');
  });

  it('holds the text until the capability is closed', async () => {
    let ended = 0;
    const ports = recordedPorts(
      xclip(async ({ input, signal }) => {
        if (input === undefined) return { stdout: Buffer.from('mine') };
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        ended++;
        return { kind: 'aborted', exitCode: null };
      }),
    );
    const capability = createClipboardCapability(ports, { limits: DEFAULT_LIMITS });
    const wrote = await runCommand(capability.commands.get('clipboard.write'), { text: 'mine' });
    expect(wrote).toEqual({ written: true, bytes: 4 });
    expect(ended).toBe(0);
    await capability.close?.();
    expect(ended).toBe(1);
  });
});
