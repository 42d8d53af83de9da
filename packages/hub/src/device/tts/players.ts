/** Programs that play a WAV file, and the duration of a WAV file. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { powershell } from '../../core/powershell.ts';
import type { Environment } from '../../lib/process.ts';
import { findProgram } from '../programs/find-program.ts';
import type { SpeechRun } from './engines.ts';

export interface Player {
  readonly name: string;
  play(file: string): SpeechRun;
}

export interface NoPlayer {
  readonly reason: string;
  readonly hint: string;
  /** No player can produce sound here. */
  readonly isMute: boolean;
}

/** Where the kernel lists sound cards. */
const CARDS = '/proc/asound/cards';

export function playerOf(platform: NodeJS.Platform, env: Environment, cards = CARDS): Player | NoPlayer {
  if (platform === 'darwin')
    return { name: 'afplay', play: (file) => ({ command: '/usr/bin/afplay', args: [file] }) };
  if (platform === 'win32')
    return {
      name: 'PowerShell',
      play: (file) => ({ ...powershell(PLAY, env), variables: { PINCER_SPEECH_FILE: file } }),
    };
  if (!hasSound(env, cards))
    return {
      isMute: true,
      reason: 'there is no sound device',
      hint: 'This machine has no sound card and no sound server. Set PULSE_SERVER to a sound server, or get the sound itself with output "return".',
    };
  const found = LINUX.find(({ name }) => findProgram(name, env, platform) !== undefined);
  if (found === undefined)
    return {
      isMute: false,
      reason: 'no program here plays sound files',
      hint: 'Install pipewire (pw-play), pulseaudio-utils (paplay) or alsa-utils (aplay), or get the sound itself with output "return".',
    };
  const { name, args } = found;
  return { name, play: (file) => ({ command: name, args: [...args, file] }) };
}

/** Each fails if there is no audio device. */
const LINUX: readonly { readonly name: string; readonly args: readonly string[] }[] = [
  { name: 'pw-play', args: [] },
  { name: 'paplay', args: [] },
  { name: 'aplay', args: ['-q'] },
];

function hasSound(env: Environment, cards: string): boolean {
  const session = env['XDG_RUNTIME_DIR'];
  if (env['PULSE_SERVER'] || env['PIPEWIRE_REMOTE']) return true;
  if (session && ['pulse/native', 'pipewire-0'].some((name) => existsSync(join(session, name)))) return true;
  try {
    return /^\s*\d+\s*\[/m.test(readFileSync(cards, 'utf8'));
  } catch {
    return false;
  }
}

const PLAY = String.raw`$ErrorActionPreference = 'Stop'
[System.Media.SoundPlayer]::new($env:PINCER_SPEECH_FILE).PlaySync()`;

/** The duration of a WAV file in milliseconds. Undefined if it is not one. */
export function wavDurationMs(file: Buffer): number | undefined {
  if (
    file.length < 12 ||
    file.toString('latin1', 0, 4) !== 'RIFF' ||
    file.toString('latin1', 8, 12) !== 'WAVE'
  )
    return undefined;
  let bytesPerSecond = 0;
  for (let at = 12; at + 8 <= file.length;) {
    const id = file.toString('latin1', at, at + 4);
    const size = file.readUInt32LE(at + 4);
    if (id === 'fmt ' && at + 20 <= file.length) bytesPerSecond = file.readUInt32LE(at + 16);
    if (id === 'data') {
      // Programs that stream write the maximum size.
      const bytes = Math.min(size, file.length - at - 8);
      return bytesPerSecond === 0 ? undefined : Math.round((bytes / bytesPerSecond) * 1_000);
    }
    // Chunks begin at even offsets.
    at += 8 + size + (size % 2);
  }
  return undefined;
}
