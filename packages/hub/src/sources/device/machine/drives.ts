/** Disks of this machine, and how full they are. */
import { readdir, readFile, statfs } from 'node:fs/promises';
import { percent } from './cpu-usage.ts';

export interface Drive {
  readonly name: string;
  readonly label: string;
  readonly totalBytes: number;
  readonly freeBytes: number;
  readonly usagePercent: number;
  readonly format: string;
}

interface Mount {
  readonly path: string;
  readonly format: string;
}

const MAX_DRIVES = 64;
/** A network drive may never answer. */
const MAX_WAIT_MS = 1_000;
/** Read-only images (snaps, ISOs): always 100 % full. */
const IMAGES: ReadonlySet<string> = new Set(['squashfs', 'iso9660', 'erofs']);

export async function drivesOf(platform: NodeJS.Platform): Promise<Drive[]> {
  const mounts = (await mountsOf(platform)).slice(0, MAX_DRIVES);
  const drives = await Promise.all(mounts.map((mount) => driveOf(mount)));
  return drives.filter((drive) => drive !== undefined);
}

async function mountsOf(platform: NodeJS.Platform): Promise<Mount[]> {
  if (platform === 'win32') return windowsMounts();
  if (platform !== 'darwin') return readMounts(await readFile('/proc/self/mounts', 'utf8'));
  const volumes = await readdir('/Volumes').catch(() => []);
  return ['/', ...volumes.map((name) => `/Volumes/${name}`)].map((path) => ({ path, format: '' }));
}

const windowsMounts = (): Mount[] =>
  'CDEFGHIJKLMNOPQRSTUVWXYZ'.split('').map((letter) => ({ path: `${letter}:\\`, format: '' }));

/** File systems on disks, each disk once; the root always, whatever it is on. `text`: `/proc/self/mounts`. */
export function readMounts(text: string): Mount[] {
  const found = new Map<string, Mount>();
  for (const line of text.split('\n')) {
    const [device = '', path = '', format = ''] = line.split(' ').map(unescaped);
    const isDisk = device.startsWith('/dev/') && !IMAGES.has(format);
    if (!isDisk && path !== '/') continue;
    const other = found.get(device);
    // A disk that is mounted in several places is one disk.
    if (other === undefined || path.length < other.path.length) found.set(device, { path, format });
  }
  return [...found.values()];
}

const unescaped = (text: string): string =>
  text.replaceAll(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)));

/** Undefined: nothing is there, or it does not answer. */
async function driveOf({ path, format }: Mount): Promise<Drive | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), MAX_WAIT_MS);
  });
  const space = await Promise.race([statfs(path).catch(() => undefined), late]);
  clearTimeout(timer);
  if (space === undefined || space.blocks === 0) return undefined;
  const totalBytes = space.blocks * space.bsize;
  const freeBytes = space.bavail * space.bsize;
  return {
    name: path,
    label: '',
    totalBytes,
    freeBytes,
    usagePercent: percent(1 - freeBytes / totalBytes),
    format,
  };
}
