import { z } from 'zod';
import type { DevicePorts } from '../ports.ts';
import { texts } from '../registry/arguments.ts';
import { defineCapability, type Capability } from '../registry/capability.ts';
import { CommandFailure } from '../registry/failure.ts';
import { deviceInfo, type DeviceInfo } from './info.ts';
import { createDeviceStatus, SECTIONS, type Section } from './status.ts';
import { INFO, STATUS } from './shapes.ts';

export function createDeviceCapability(ports: DevicePorts): Capability {
  const status = createDeviceStatus(ports);
  let info: DeviceInfo | undefined;
  return defineCapability({
    category: 'device',
    commands: {
      'device.info': {
        description:
          'What this machine is. No arguments. Gives back {deviceName, modelIdentifier, systemName, systemVersion, appVersion, appBuild, locale}.',
        input: z.object({}),
        output: INFO,
        annotations: { title: 'Describe this machine', readOnlyHint: true },
        run: async (_args, { signal }) => ({ ...(info ??= await deviceInfo(ports, signal)) }),
      },
      'device.status': {
        description:
          'How this machine is right now. Arguments: sections, a list of os, cpu, memory, disk, battery; all if absent. Gives back {collectedAt, os, cpu, memory, disk, battery} and always battery, thermal, storage, network and uptimeSeconds; a section that cannot be told is {error: "collection failed"}. cpu.usagePercent is since the last call.',
        input: z.object({ sections: texts('Of os, cpu, memory, disk, battery; all if absent.', SECTIONS) }),
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
