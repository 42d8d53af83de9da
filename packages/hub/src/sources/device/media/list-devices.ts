/** Asks ffmpeg for the cameras and microphones of macOS and Windows. */
import type { DevicePorts } from '../ports.ts';
import { desktopEnvironment } from '../programs/desktop-environment.ts';
import { parseDeviceList, type MediaDevices } from './device-list.ts';
import { words } from './words.ts';

const TIMEOUT_MS = 15_000;
const MAX_BYTES = 256 * 1024;

/** Undefined: this platform has them as files. */
export function listArgs(platform: NodeJS.Platform): readonly string[] | undefined {
  if (platform === 'darwin') return [...words('-hide_banner -f avfoundation -list_devices true -i'), ''];
  if (platform === 'win32') return words('-hide_banner -list_devices true -f dshow -i dummy');
  return undefined;
}

export async function listDevices(
  { platform, env, run }: DevicePorts,
  command: string,
  signal: AbortSignal,
): Promise<MediaDevices> {
  const args = listArgs(platform);
  if (args === undefined) return { video: [], audio: [] };
  // It always ends badly: there is no input of that name.
  const { stderr } = await run({
    command,
    args,
    env: desktopEnvironment(env),
    signal,
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
    whenFull: 'drop',
  });
  return parseDeviceList(stderr.toString('utf8'));
}
