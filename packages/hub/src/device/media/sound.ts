/** Where sound for a clip comes from. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DevicePorts } from '../ports.ts';
import { listDevices } from './list-devices.ts';
import { words } from './words.ts';

/** What is played here, or what a microphone hears; macOS and Windows have only the latter. */
export type SoundKind = 'played' | 'microphone';

/** Arguments of ffmpeg; undefined: there is none. */
export async function findSound(
  ports: DevicePorts,
  kind: SoundKind,
  { ffmpeg, signal }: { readonly ffmpeg: string; readonly signal: AbortSignal },
): Promise<readonly string[] | undefined> {
  const { platform, env } = ports;
  if (platform === 'darwin') return words('-f avfoundation -i :default');
  if (platform === 'win32') {
    const [first] = (await listDevices(ports, ffmpeg, signal)).audio;
    return first && ['-f', 'dshow', '-i', `audio=${first.id}`];
  }
  const socket = join(env['XDG_RUNTIME_DIR'] ?? '', 'pulse', 'native');
  const hasPulse = Boolean(env['PULSE_SERVER']) || (Boolean(env['XDG_RUNTIME_DIR']) && existsSync(socket));
  if (!hasPulse) return undefined;
  return words(`-f pulse -i ${kind === 'played' ? '@DEFAULT_MONITOR@' : 'default'}`);
}
