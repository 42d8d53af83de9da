/** The sections of `device.status`. A section that fails does not affect the others. */
import { statfs, readdir, readFile } from 'node:fs/promises';
import os, { type NetworkInterfaceInfo, type CpuInfo } from 'node:os';
import { within } from '../../lib/time.ts';
import type { DevicePorts } from '../registry/ports.ts';
import { readBattery, type Battery } from './battery.ts';

export const SECTIONS = ['os', 'cpu', 'memory', 'disk', 'battery'] as const;
export type Section = (typeof SECTIONS)[number];
type Part = Readonly<Record<string, unknown>>;

const FAILED = { error: 'collection failed' };
const NO_BATTERY = { level: null, state: 'unknown', lowPowerModeEnabled: false };

interface DeviceStatus {
  collect(wanted: ReadonlySet<Section>, signal: AbortSignal): Promise<Part>;
}

export function createDeviceStatus(ports: DevicePorts, machine: typeof os = os): DeviceStatus {
  const { platform, clock, log } = ports;
  const usage = createCpuUsage(() => machine.cpus());

  const collectors: Readonly<Record<Section, (signal: AbortSignal) => Part | Promise<Part>>> = {
    os: () => ({
      version: machine.release(),
      architecture: machine.arch(),
      machineName: machine.hostname(),
      uptimeSeconds: Math.floor(machine.uptime()),
    }),
    cpu() {
      const cpus = machine.cpus();
      return {
        name: cpus[0]?.model.trim() || null,
        logicalProcessors: cpus.length,
        usagePercent: usage.sample(),
      };
    },
    memory() {
      const [totalBytes, availableBytes] = [machine.totalmem(), machine.freemem()];
      return { totalBytes, availableBytes, usagePercent: percent(1 - availableBytes / totalBytes) };
    },
    disk: async () => ({ drives: await drivesOf(platform) }),
    battery: async (signal) => withLegacy(await readBattery(ports, signal)),
  };

  async function safely(section: string, collector: () => Part | Promise<Part>): Promise<Part> {
    try {
      return await collector();
    } catch (error) {
      log.warn('a section of device.status could not be collected', { section, error });
      return section === 'battery' ? { ...NO_BATTERY, ...FAILED } : FAILED;
    }
  }

  return {
    async collect(wanted, signal) {
      const asked = SECTIONS.filter((section) => wanted.has(section));
      const [parts, storage, network] = await Promise.all([
        Promise.all(
          asked.map(async (name) => [name, await safely(name, () => collectors[name](signal))] as const),
        ),
        safely('storage', () => storageOf(machine.homedir())),
        safely('network', () => ({ ...networkOf(machine.networkInterfaces()) })),
      ]);
      return {
        collectedAt: new Date(clock.now()).toISOString(),
        // Always present, for older clients.
        battery: NO_BATTERY,
        ...Object.fromEntries(parts),
        thermal: { state: 'nominal' },
        storage,
        network,
        uptimeSeconds: machine.uptime(),
      };
    },
  };
}

function withLegacy(battery: Battery): Part {
  const { chargePercent: level, isCharging } = battery;
  const state = isCharging ? 'charging' : level === null ? 'unknown' : 'discharging';
  return { level, state, lowPowerModeEnabled: false, ...battery };
}

async function storageOf(folder: string): Promise<Part> {
  const { blocks, bavail, bsize } = await statfs(folder);
  const [totalBytes, freeBytes] = [blocks * bsize, bavail * bsize];
  return { totalBytes, freeBytes, usedBytes: Math.max(0, totalBytes - freeBytes) };
}

interface Network {
  readonly status: 'satisfied' | 'unsatisfied';
  readonly isExpensive: boolean;
  readonly isConstrained: boolean;
  readonly interfaces: readonly string[];
}

type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;

/** Names of interfaces: `wlp3s0`, `Wi-Fi`, `eth0`, `enp0s31f6`, `en0`, `Ethernet 2`, `wwan0`, `ppp0`. */
const KINDS: readonly (readonly [RegExp, string])[] = [
  [/^(?:wl|wi-?fi|wireless)/i, 'wifi'],
  [/^(?:eth|en[opsx\d])/i, 'wired'],
  [/^(?:wwan|ww|ppp|rmnet|cellular|mobile)/i, 'cellular'],
];

/** The kind of network connection. */
export function networkOf(interfaces: Interfaces): Network {
  const up = Object.entries(interfaces).filter(([, addresses]) =>
    addresses?.some(({ internal, address }) => !internal && !isLinkLocal(address)),
  );
  const kinds = up.map(([name]) => KINDS.find(([pattern]) => pattern.test(name))?.[1] ?? 'other');
  return {
    status: up.length > 0 ? 'satisfied' : 'unsatisfied',
    isExpensive: false,
    isConstrained: false,
    interfaces: [...new Set(kinds)],
  };
}

/** Link-local addresses only reach the same link. */
const isLinkLocal = (address: string): boolean => /^(?:fe[89ab][0-9a-f]:|169\.254\.)/i.test(address);

interface Drive {
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

async function drivesOf(platform: NodeJS.Platform): Promise<Drive[]> {
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

/** Returns each disk once, and always the root, even if it is not on a disk. `text`: `/proc/self/mounts`. */
export function readMounts(text: string): Mount[] {
  const found = new Map<string, Mount>();
  for (const line of text.split('\n')) {
    const [device = '', path = '', format = ''] = line.split(' ').map(unescaped);
    const isDisk = device.startsWith('/dev/') && !IMAGES.has(format);
    if (!isDisk && path !== '/') continue;
    const other = found.get(device);
    // A disk with several mount points is listed once.
    if (other === undefined || path.length < other.path.length) found.set(device, { path, format });
  }
  return [...found.values()];
}

const unescaped = (text: string): string =>
  text.replaceAll(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)));

/** @returns undefined if the drive does not exist or does not answer. */
async function driveOf({ path, format }: Mount): Promise<Drive | undefined> {
  const space = await within(statfs(path), MAX_WAIT_MS).catch(() => undefined);
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

interface Ticks {
  readonly busy: number;
  readonly all: number;
}

/** In shorter intervals the measurement itself would dominate. */
const MIN_TICKS = 50;

interface CpuUsage {
  /** Percent since the last useful sample. Null before the first one. */
  sample(): number | null;
}

/** Takes the first sample at once. */
export function createCpuUsage(cpus: () => readonly CpuInfo[]): CpuUsage {
  let before = ticksOf(cpus());
  let known: number | null = null;
  return {
    sample() {
      const now = ticksOf(cpus());
      const all = now.all - before.all;
      // Hot-plugged processors change the total.
      if (all < 0) before = now;
      if (all < MIN_TICKS) return known;
      known = percent((now.busy - before.busy) / all);
      before = now;
      return known;
    },
  };
}

function ticksOf(cpus: readonly CpuInfo[]): Ticks {
  let [busy, all] = [0, 0];
  for (const { times } of cpus) {
    const sum = times.user + times.nice + times.sys + times.idle + times.irq;
    all += sum;
    busy += sum - times.idle;
  }
  return { busy, all };
}

/** A share as percent, with one decimal. */
const percent = (share: number): number => Math.round(Math.min(1, Math.max(0, share)) * 1_000) / 10;
