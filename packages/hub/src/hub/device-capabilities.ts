/** All that Pincer itself can do on a machine. One that is added here is on every surface. */
import { createClipboardCapability } from '../sources/device/clipboard/capability.ts';
import { createDeviceCapability } from '../sources/device/machine/capability.ts';
import { notifyCommands } from '../sources/device/notify/commands.ts';
import type { DevicePorts } from '../sources/device/ports.ts';
import { defineCapability, type Capability } from '../sources/device/registry/capability.ts';
import { createScreenCapability } from '../sources/device/screen/capability.ts';
import type { DeviceParts } from './device.ts';

export const builtInCapabilities = (parts: DeviceParts): readonly Capability[] => [
  createSystemCapability(parts),
  createScreenCapability(parts),
  createDeviceCapability(parts),
  createClipboardCapability(parts),
];

function createSystemCapability(ports: DevicePorts): Capability {
  const notify = notifyCommands(ports);
  return defineCapability({
    category: 'system',
    commands: notify.commands,
    readiness: () => Promise.resolve(notify.readiness()),
  });
}
