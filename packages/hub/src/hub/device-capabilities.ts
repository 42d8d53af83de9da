/** All that Pincer itself can do on a machine. One that is added here is on every surface. */
import { deviceSchema, type DeviceConfig } from '../config/device-schema.ts';
import { DEFAULT_LIMITS, type Limits } from '../core/limits.ts';
import { writeFileAtomically } from '../owner/state-folder.ts';
import { createBrowser } from '../sources/device/browser/browser.ts';
import { createCameraCapability } from '../sources/device/camera/capability.ts';
import { createClipboardCapability } from '../sources/device/clipboard/capability.ts';
import { createDeviceCapability } from '../sources/device/machine/capability.ts';
import { notifyCommands } from '../sources/device/notify/commands.ts';
import type { DevicePorts } from '../sources/device/ports.ts';
import { defineCapability, type Capability } from '../sources/device/registry/capability.ts';
import { createScreenCapability } from '../sources/device/screen/capability.ts';
import { createTtsCapability } from '../sources/device/tts/capability.ts';
import { systemCommands } from '../sources/device/system/commands.ts';

export interface CapabilityParts extends DevicePorts {
  settings(): DeviceConfig;
  readonly limits: Pick<Limits, 'maxApprovalBytes'>;
}

export interface BuiltIn {
  readonly capabilities: readonly Capability[];
  /** Ends what several of them share, after each of them has been closed. */
  close(): Promise<void>;
}

export function builtIn(parts: CapabilityParts): BuiltIn {
  const { args: extraArgs, allow } = parts.settings().browser;
  const browser = createBrowser(parts, { extraArgs, allow });
  const capabilities = [
    createSystemCapability(parts),
    createScreenCapability(parts),
    createCameraCapability(parts, browser),
    createTtsCapability(parts),
    createDeviceCapability(parts),
    createClipboardCapability(parts),
  ];
  return { capabilities, close: () => browser.close() };
}

function createSystemCapability({ limits, ...ports }: CapabilityParts): Capability {
  const notify = notifyCommands(ports);
  const system = systemCommands(ports, {
    writeFile: writeFileAtomically,
    maxApprovalBytes: limits.maxApprovalBytes,
  });
  return defineCapability({
    category: 'system',
    commands: { ...system.commands, ...notify.commands },
    readiness: () => Promise.resolve([...system.readiness(), ...notify.readiness()]),
  });
}

/** As they are defined, for whoever only reads of them. */
export const allCapabilities = (): readonly Capability[] =>
  builtIn({
    platform: 'linux',
    env: {},
    clock: { now: () => 0, elapsed: () => 0 },
    log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
    run: () => Promise.reject(new Error('Nothing is run by whoever only reads of it.')),
    home: '/nowhere',
    settings: () => deviceSchema.parse({}),
    limits: DEFAULT_LIMITS,
  }).capabilities;

function nothing(): void {}
