/** All that Pincer itself can do on a machine. One that is added here is on every surface. */
import type { Capability } from '../sources/device/registry/capability.ts';
import type { DeviceParts } from './device.ts';

export function builtInCapabilities(_parts: DeviceParts): readonly Capability[] {
  return [];
}
