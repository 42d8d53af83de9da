/** Cameras and microphones as ffmpeg lists them on macOS and Windows, and the source of sound for a clip. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DevicePorts } from '../registry/ports.ts';
import { desktopEnvironment, words } from '../programs/run-program.ts';

const TIMEOUT_MS = 15_000;
const MAX_BYTES = 256 * 1024;

/** Undefined if the platform has device files. */
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
  // ffmpeg always exits with an error, because the input does not exist.
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

interface MediaDevice {
  /** The name that ffmpeg needs to use it. */
  readonly id: string;
  readonly name: string;
}

interface MediaDevices {
  readonly video: readonly MediaDevice[];
  readonly audio: readonly MediaDevice[];
}

type Kind = keyof MediaDevices;

const HEADING = /(?:DirectShow|AVFoundation) (video|audio) devices/;
/** `[dshow @ 0x1] "Integrated Camera" (video)`. Older versions omit the kind and write headings. */
const OF_WINDOWS = /^\[[^\]]+\]\s+"(.+)"(?: \((video|audio|none)(?:, \w+)*\))?\s*$/;
/** Unique and stable names. */
const ALTERNATIVE = /^\[[^\]]+\]\s+Alternative name "(.+)"\s*$/;
/** `[AVFoundation indev @ 0x1] [0] FaceTime HD Camera` */
const OF_MACOS = /^\[[^\]]+\] \[(\d+)\] (.+?)\s*$/;

export function parseDeviceList(text: string): MediaDevices {
  const found: Record<Kind, { id: string; name: string }[]> = { video: [], audio: [] };
  let heading: Kind | undefined;
  let last: { id: string; name: string } | undefined;
  const add = (kind: string | undefined, device: { id: string; name: string }): void => {
    last = kind === 'video' || kind === 'audio' ? device : undefined;
    if (last !== undefined) found[kind as Kind].push(last);
  };
  for (const line of text.split('\n')) {
    const alternative = ALTERNATIVE.exec(line)?.[1];
    const ofWindows = OF_WINDOWS.exec(line);
    const ofMacos = OF_MACOS.exec(line);
    const newHeading = HEADING.exec(line)?.[1] as Kind | undefined;
    if (newHeading !== undefined) heading = newHeading;
    else if (alternative !== undefined) {
      if (last !== undefined) last.id = alternative;
    } else if (ofWindows !== null) add(ofWindows[2] ?? heading, { id: ofWindows[1]!, name: ofWindows[1]! });
    else if (ofMacos !== null) add(heading, { id: ofMacos[1]!, name: ofMacos[2]! });
  }
  // macOS lists screens among its cameras.
  return { ...found, video: found.video.filter(({ name }) => !/^Capture screen \d+$/.test(name)) };
}

/** The sound that the machine plays, or a microphone. macOS and Windows only have a microphone. */
type SoundKind = 'played' | 'microphone';

/** Arguments of ffmpeg. Undefined if there is no sound. */
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
