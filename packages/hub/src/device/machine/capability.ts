/** `device.info` and `device.status`: a description of this machine, and its current state. */
import { z } from 'zod';
import type { DevicePorts } from '../registry/ports.ts';
import { texts } from '../registry/arguments.ts';
import { defineCapability, type Capability, CommandFailure } from '../registry/capability.ts';
import { createDeviceStatus, SECTIONS, type Section } from './status.ts';
import { readFile } from 'node:fs/promises';
import os from 'node:os';
import { VERSION } from '../../lib/version.ts';
import { desktopEnvironment } from '../programs/run-program.ts';

export function createDeviceCapability(ports: DevicePorts): Capability {
  const status = createDeviceStatus(ports);
  let info: DeviceInfo | undefined;
  return defineCapability({
    category: 'device',
    commands: {
      'device.info': {
        description:
          'Describes this machine. No arguments. Returns {deviceName, modelIdentifier, systemName, systemVersion, appVersion, appBuild, locale}.',
        input: z.object({}),
        output: INFO,
        annotations: { title: 'Describe this machine', readOnlyHint: true },
        run: async (_args, { signal }) => ({ ...(info ??= await deviceInfo(ports, signal)) }),
      },
      'device.status': {
        description:
          'Returns the current state of this machine. Arguments: sections, a list of os, cpu, memory, disk, battery; all if absent. Returns {collectedAt, os, cpu, memory, disk, battery} and always battery, thermal, storage, network and uptimeSeconds; a section that cannot be collected is {error: "collection failed"}. cpu.usagePercent is since the last call.',
        input: z.object({
          sections: texts('Any of os, cpu, memory, disk, battery; all if absent.', SECTIONS),
        }),
        output: STATUS,
        example: { sections: ['memory', 'disk'] },
        annotations: { title: 'Status of this machine', readOnlyHint: true },
        run: ({ sections = [] }, { signal }) => status.collect(wantedOf(sections), signal),
      },
    },
  });
}

function wantedOf(names: readonly string[]): ReadonlySet<Section> {
  const isSection = (name: string): name is Section => (SECTIONS as readonly string[]).includes(name);
  const unknown = names.filter((name) => !isSection(name.toLowerCase()));
  if (unknown.length > 0)
    throw new CommandFailure(`Unknown sections: ${unknown.join(', ')}. Valid: ${SECTIONS.join(', ')}`, {
      notExecuted: true,
    });
  return new Set(names.length === 0 ? SECTIONS : names.map((name) => name.toLowerCase()).filter(isSection));
}

const text = z.string();
const number = z.number();

/** Results of `device.info` and `device.status`. */
export const INFO = z.object({
  deviceName: text,
  modelIdentifier: text,
  systemName: text,
  systemVersion: text,
  appVersion: text,
  appBuild: text,
  locale: text,
});

const FAILED = z.object({ error: text });

const DRIVE = z.object({
  name: text,
  label: text,
  totalBytes: number,
  freeBytes: number,
  usagePercent: number,
  format: text,
});

export const STATUS = z.object({
  collectedAt: text,
  os: z
    .object({ version: text, architecture: text, machineName: text, uptimeSeconds: number })
    .or(FAILED)
    .optional(),
  cpu: z
    .object({ name: text.nullable(), logicalProcessors: number, usagePercent: number.nullable() })
    .or(FAILED)
    .optional(),
  memory: z
    .object({ totalBytes: number, availableBytes: number, usagePercent: number })
    .or(FAILED)
    .optional(),
  disk: z
    .object({ drives: z.array(DRIVE) })
    .or(FAILED)
    .optional(),
  battery: z.object({
    level: number.nullable().describe('In percent.'),
    state: text,
    lowPowerModeEnabled: z.boolean(),
    present: z.boolean().optional(),
    chargePercent: number.nullable().optional(),
    isCharging: z.boolean().optional(),
    estimatedMinutesRemaining: number.nullable().optional(),
    error: text.optional(),
  }),
  thermal: z.object({ state: text }),
  storage: z.object({ totalBytes: number, freeBytes: number, usedBytes: number }).or(FAILED),
  network: z
    .object({
      status: text,
      isExpensive: z.boolean(),
      isConstrained: z.boolean(),
      interfaces: z.array(text),
    })
    .or(FAILED),
  uptimeSeconds: number,
});

interface DeviceInfo {
  readonly deviceName: string;
  readonly modelIdentifier: string;
  readonly systemName: string;
  readonly systemVersion: string;
  readonly appVersion: string;
  readonly appBuild: string;
  readonly locale: string;
}

type Run = Pick<DevicePorts, 'platform' | 'env' | 'run'>;

const SYSTEMS: ReadonlyMap<string, string> = new Map([
  ['darwin', 'macOS'],
  ['win32', 'Windows'],
  ['linux', 'Linux'],
]);

async function deviceInfo(ports: Run, signal: AbortSignal): Promise<DeviceInfo> {
  const { platform } = ports;
  const [model, version] = await Promise.all([modelOf(ports, signal), versionOf(ports, signal)]);
  return {
    deviceName: os.hostname().replace(/\.local$/, ''),
    modelIdentifier: model ?? os.arch(),
    systemName: SYSTEMS.get(platform) ?? os.type(),
    systemVersion: version ?? os.release(),
    appVersion: VERSION,
    appBuild: VERSION,
    locale: Intl.DateTimeFormat().resolvedOptions().locale,
  };
}

async function modelOf(ports: Run, signal: AbortSignal): Promise<string | undefined> {
  const { platform, env } = ports;
  if (platform === 'darwin') return outputOf(ports, ['/usr/sbin/sysctl', '-n', 'hw.model'], signal);
  if (platform === 'win32') return env['PROCESSOR_IDENTIFIER'];
  return (await line('/sys/class/dmi/id/product_name')) ?? (await line('/proc/device-tree/model'));
}

async function versionOf(ports: Run, signal: AbortSignal): Promise<string | undefined> {
  const { platform } = ports;
  if (platform === 'darwin') return outputOf(ports, ['/usr/bin/sw_vers', '-productVersion'], signal);
  if (platform === 'win32') return os.version();
  return prettyName(await readFile('/etc/os-release', 'utf8').catch(() => ''));
}

/** Reads PRETTY_NAME of `os-release`. Values may be quoted (freedesktop.org, "os-release"). */
export const prettyName = (text: string): string | undefined =>
  /^PRETTY_NAME=(["']?)(.+)\1$/m.exec(text)?.[2]?.replaceAll(/\\(.)/g, '$1');

async function line(path: string): Promise<string | undefined> {
  const text = await readFile(path, 'utf8').catch(() => '');
  // Values of the device tree end with NUL.
  return text.replaceAll('\0', '').trim() || undefined;
}

async function outputOf(
  { env, run }: Run,
  [command = '', ...args]: readonly string[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const limits = { timeoutMs: 2_000, maxBytes: 4_096, whenFull: 'drop' as const };
  const end = await run({ command, args, ...limits, env: desktopEnvironment(env), signal });
  return (end.exitCode === 0 && end.stdout.toString().trim()) || undefined;
}
