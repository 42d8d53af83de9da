/** The built-in capabilities. A capability that is registered here is available on every surface. */
import { deviceSchema, type DeviceConfig } from '../config/device-schema.ts';
import { DEFAULT_LIMITS, type Limits } from '../core/limits.ts';
import { writeFileAtomically } from '../owner/state-folder.ts';
import { createAppCapability } from './app/capability.ts';
import type { AppParts } from './app/facts.ts';
import { createBrowser } from './browser/browser.ts';
import { createCameraCapability } from './camera/capability.ts';
import { createCanvasCapability, type CanvasAction } from './canvas/capability.ts';
import { createClipboardCapability } from './clipboard/capability.ts';
import { createLocationCapability } from './location/capability.ts';
import { createDeviceCapability } from './machine/capability.ts';
import type { DevicePorts } from './registry/ports.ts';
import type { Capability } from './registry/capability.ts';
import { createScreenCapability } from './screen/capability.ts';
import { createTtsCapability } from './tts/capability.ts';
import { createSystemCapability, systemCommands, type AllowedForGood } from './system/capability.ts';

export interface CapabilityParts extends DevicePorts {
  settings(): DeviceConfig;
  readonly app: AppParts;
  onAction?(action: CanvasAction, message: string): void;
  readonly limits: Limits;
}

export interface BuiltIn {
  readonly capabilities: readonly Capability[];
  /** Allows a command permanently: the subject of an approved `system.run`. */
  allowAlways(plan: AllowedForGood): void;
  /** Closes what the capabilities share. Call it after closing them. */
  close(): Promise<void>;
}

export function builtIn(parts: CapabilityParts): BuiltIn {
  const { limits, settings, onAction } = parts;
  const { args: extraArgs, allow } = settings().browser;
  const browser = createBrowser(parts, { limits, extraArgs, allow });
  const system = systemCommands(parts, { limits, writeFile: writeFileAtomically });
  const capabilities = [
    createSystemCapability(parts, system),
    createScreenCapability(parts, { limits }),
    createCanvasCapability(parts, { limits, browser, allow, onAction }),
    createCameraCapability(parts, { limits, browser }),
    createLocationCapability(parts, { browser, fixed: () => settings().position }),
    createTtsCapability(parts, { limits, provider: () => settings().speech.provider }),
    createDeviceCapability(parts),
    createClipboardCapability(parts, { limits }),
    createAppCapability(parts, parts.app),
  ];
  return { capabilities, allowAlways: (plan) => system.allowAlways(plan), close: () => browser.close() };
}

/** For documentation: definitions whose commands cannot run. */
export const allCapabilities = (): readonly Capability[] =>
  builtIn({
    platform: 'linux',
    env: {},
    clock: { now: () => 0, elapsed: () => 0 },
    log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
    run: () => Promise.reject(new Error('The documentation runs no programs.')),
    home: '/nowhere',
    settings: () => deviceSchema.parse({}),
    app: { gateway: nothing, settings: { get: nothing, set: () => Promise.resolve() } },
    limits: DEFAULT_LIMITS,
  }).capabilities;

function nothing(): undefined {}
