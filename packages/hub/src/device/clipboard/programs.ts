/**
 * Programs that read and write the clipboard, per platform. Texts go through stdin and stdout, never a command line.
 */
import type { Environment } from '../../lib/process.ts';
import { powershell } from '../../core/powershell.ts';
import type { CommandLine } from '../../core/program.ts';
import { desktopEnvironment } from '../programs/run-program.ts';
import { findProgram } from '../programs/find-program.ts';

export interface ClipboardPrograms {
  /** For people. */
  readonly name: string;
  readonly read: CommandLine;
  readonly write: CommandLine;
  readonly env: Readonly<Record<string, string>>;
  /** On X11 and Wayland the program that owns the text must keep running until another program copies something. */
  readonly isKept: boolean;
  /** Whether reading failed only because the clipboard has no text. */
  isEmpty(stderr: string): boolean;
}

export interface NoClipboard {
  readonly reason: string;
  readonly hint: string;
}

export function clipboardPrograms(
  platform: NodeJS.Platform,
  env: Environment,
): ClipboardPrograms | NoClipboard {
  if (platform === 'darwin') return apple(env);
  if (platform === 'win32') return windows(env);
  const has = (name: string): boolean => findProgram(name, env, platform) !== undefined;
  if (env['WAYLAND_DISPLAY'] && has('wl-copy') && has('wl-paste')) return wayland(env);
  if (env['DISPLAY'] && has('xclip')) return xclip(env);
  if (env['DISPLAY'] && has('xsel')) return xsel(env);
  if (env['WAYLAND_DISPLAY'])
    return { reason: 'wl-copy and wl-paste are not installed', hint: 'Install wl-clipboard.' };
  if (env['DISPLAY'])
    return { reason: 'neither xclip nor xsel is installed', hint: 'Install xclip, or xsel.' };
  return {
    reason: 'there is no desktop session',
    hint: 'Start Pincer in a desktop session, or set WAYLAND_DISPLAY or DISPLAY to one.',
  };
}

const wayland = (env: Environment): ClipboardPrograms => ({
  name: 'wl-clipboard',
  read: { command: 'wl-paste', args: ['--no-newline', '--type', 'text'] },
  write: { command: 'wl-copy', args: ['--foreground', '--type', 'text/plain;charset=utf-8'] },
  env: desktopEnvironment(env),
  isKept: true,
  isEmpty: (stderr) => /nothing is copied|no selection|no suitable type/i.test(stderr),
});

const xclip = (env: Environment): ClipboardPrograms => ({
  name: 'xclip',
  read: { command: 'xclip', args: ['-selection', 'clipboard', '-out'] },
  // Without `-quiet` it would fork into the background, where we could not stop it.
  write: { command: 'xclip', args: ['-selection', 'clipboard', '-in', '-quiet'] },
  env: desktopEnvironment(env),
  isKept: true,
  isEmpty: (stderr) => /target \S+ not available/.test(stderr),
});

const xsel = (env: Environment): ClipboardPrograms => ({
  name: 'xsel',
  read: { command: 'xsel', args: ['--clipboard', '--output'] },
  write: { command: 'xsel', args: ['--clipboard', '--input', '--nodetach'] },
  env: desktopEnvironment(env),
  isKept: true,
  isEmpty: () => false,
});

/** Without a UTF-8 locale these programs assume MacRoman. */
const apple = (env: Environment): ClipboardPrograms => ({
  name: 'pbcopy and pbpaste',
  read: { command: '/usr/bin/pbpaste', args: ['-Prefer', 'txt'] },
  write: { command: '/usr/bin/pbcopy', args: [] },
  env: { ...desktopEnvironment(env), LC_CTYPE: 'UTF-8' },
  isKept: false,
  isEmpty: () => false,
});

const windows = (env: Environment): ClipboardPrograms => ({
  name: 'PowerShell',
  read: powershell(READ, env),
  write: powershell(WRITE, env),
  env: desktopEnvironment(env),
  isKept: false,
  isEmpty: () => false,
});

/** Reads and writes bytes: the console would use its own code page. */
const READ = String.raw`$ErrorActionPreference = 'Stop'
$bytes = [Text.UTF8Encoding]::new($false).GetBytes([string](Get-Clipboard -Format Text -Raw))
$out = [Console]::OpenStandardOutput()
$out.Write($bytes, 0, $bytes.Length)
$out.Flush()`;
const WRITE = String.raw`$ErrorActionPreference = 'Stop'
$in = [IO.StreamReader]::new([Console]::OpenStandardInput(), [Text.UTF8Encoding]::new($false))
$text = $in.ReadToEnd()
Add-Type -AssemblyName System.Windows.Forms
if ($text -eq '') { [Windows.Forms.Clipboard]::Clear() } else { [Windows.Forms.Clipboard]::SetText($text) }`;
