/** All that Pincer itself can do on a machine. One that is added here is on every surface. */
import { DEFAULT_LIMITS, type Limits } from '../core/limits.ts';
import { writeFileAtomically } from '../owner/state-folder.ts';
import { createClipboardCapability } from '../sources/device/clipboard/capability.ts';
import { createDeviceCapability } from '../sources/device/machine/capability.ts';
import { notifyCommands } from '../sources/device/notify/commands.ts';
import type { DevicePorts } from '../sources/device/ports.ts';
import { defineCapability, type Capability } from '../sources/device/registry/capability.ts';
import { createScreenCapability } from '../sources/device/screen/capability.ts';
import { createTtsCapability } from '../sources/device/tts/capability.ts';
import { systemCommands } from '../sources/device/system/commands.ts';

export interface CapabilityParts extends DevicePorts {
  readonly limits: Pick<Limits, 'maxApprovalBytes'>;
}

export const builtInCapabilities = (parts: CapabilityParts): readonly Capability[] => [
  createSystemCapability(parts),
  createScreenCapability(parts),
  createTtsCapability(parts),
  createDeviceCapability(parts),
  createClipboardCapability(parts),
];

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
  builtInCapabilities({
    platform: 'linux',
    env: {},
    clock: { now: () => 0, elapsed: () => 0 },
    log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
    run: () => Promise.reject(new Error('Nothing is run by whoever only reads of it.')),
    home: '/nowhere',
    limits: DEFAULT_LIMITS,
  });

function nothing(): void {}
