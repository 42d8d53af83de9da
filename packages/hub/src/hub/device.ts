/** This machine, with all that it can do. */
import type { DeviceConfig } from '../config/device-schema.ts';
import { DEVICE_SOURCE, mayUse } from '../core/caller.ts';
import { naturalName } from '../core/catalog/tool-name.ts';
import type { Offer } from '../core/catalog/offer.ts';
import type { Environment } from '../core/environment.ts';
import type { PincerError } from '../core/errors.ts';
import type { Limits } from '../core/limits.ts';
import type { Clock, Log } from '../core/ports.ts';
import type { RunProgram } from '../core/program.ts';
import type { Addressed } from '../core/call/route.ts';
import { parseBytes } from '../core/wire/byte-text.ts';
import { findMember } from '../core/wire/members.ts';
import type { Capability } from '../sources/device/registry/capability.ts';
import { createRegistry, type CapabilityRegistry } from '../sources/device/registry/registry.ts';
import { createDeviceSource, switchedOff, type DeviceSource } from '../sources/device/source.ts';
import { createActivityLog } from '../sources/device/watch/activity.ts';
import { builtIn } from './device-capabilities.ts';

/** What of a process makes it the machine's own. */
export interface DevicePlace {
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly run: RunProgram;
}

export interface DeviceParts extends DevicePlace {
  readonly env: Environment;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: Limits;
  settings(): DeviceConfig;
  onOffer(offer: Offer): void;
}

export function createDevice(parts: DeviceParts): DeviceSource {
  const { log, settings, onOffer } = parts;
  const registry = createRegistry({ isOn: (name) => isOn(settings(), name) });
  const { capabilities, close } = builtIn(parts);
  for (const capability of capabilities) registry.register(capability);
  const source = createDeviceSource({ registry, activity: createActivityLog(), log, onOffer });
  return {
    ...source,
    async stop() {
      await source.stop();
      await close();
    },
  };
}

/** Whoever brings a capability of their own has switched it on by that. */
const isOn = ({ capabilities }: DeviceConfig, name: string): boolean =>
  !Object.hasOwn(capabilities, name) || capabilities[name as keyof typeof capabilities];

/** Why a command is not there that this machine has. Whoever may not use it does not hear of it. */
export function findSwitchedOff(
  registry: CapabilityRegistry,
  { method, view, params, caller }: Addressed,
): PincerError | undefined {
  const raw = findMember(params, 'name');
  if (method !== 'tools/call' || !raw?.startsWith('"')) return undefined;
  const asked = parseBytes(raw) as string;
  const name =
    view === DEVICE_SOURCE ? asked : view === undefined ? commandNamed(registry, asked) : undefined;
  const by = name === undefined ? undefined : registry.switchOf(name);
  if (name === undefined || by === undefined) return undefined;
  if (!mayUse(caller.scopes, { server: DEVICE_SOURCE, name, readOnly: false })) return undefined;
  return switchedOff(name, by);
}

const commandNamed = (registry: CapabilityRegistry, exposed: string): string | undefined =>
  registry.capabilities
    .flatMap(({ commands }: Capability) => [...commands.keys()])
    .find((name) => naturalName(DEVICE_SOURCE, name.replaceAll('.', '_')) === exposed);
