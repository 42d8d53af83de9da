/** How this machine is, in sections. One that cannot be told does not take the others with it. */
import { statfs } from 'node:fs/promises';
import os from 'node:os';
import type { DevicePorts } from '../ports.ts';
import { readBattery, type Battery } from './battery.ts';
import { createCpuUsage, percent } from './cpu-usage.ts';
import { drivesOf } from './drives.ts';
import { networkOf } from './network.ts';

export const SECTIONS = ['os', 'cpu', 'memory', 'disk', 'battery'] as const;
export type Section = (typeof SECTIONS)[number];
type Part = Readonly<Record<string, unknown>>;

const FAILED = { error: 'collection failed' };
const NO_BATTERY = { level: null, state: 'unknown', lowPowerModeEnabled: false };

export interface DeviceStatus {
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
        usagePercent: usage.look(),
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
        // Always there: older readers look for it.
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
