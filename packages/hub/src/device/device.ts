/** This machine, with all that it can do. */
import type { DeviceConfig } from '../config/device-schema.ts';
import type { Config } from '../config/schema.ts';
import { DEVICE_SOURCE, mayUse } from '../core/caller.ts';
import { naturalName } from '../core/catalog/tool-name.ts';
import type { Offer } from '../core/catalog/offer.ts';
import type { Environment } from '../core/environment.ts';
import { PincerError } from '../core/errors.ts';
import type { Limits } from '../core/limits.ts';
import type { Clock, Log } from '../core/ports.ts';
import type { RunProgram } from '../core/program.ts';
import type { Addressed } from '../core/call/route.ts';
import { visible } from '../core/visible.ts';
import { parseBytes } from '../core/wire/byte-text.ts';
import { findMember } from '../core/wire/members.ts';
import type { OpenApproval } from '../core/approvals/approvals.ts';
import type { CanvasAction } from '../sources/device/canvas/capability.ts';
import { readSubject } from '../sources/device/exec/subject.ts';
import type { Capability } from '../sources/device/registry/capability.ts';
import { createRegistry, type CapabilityRegistry } from '../sources/device/registry/registry.ts';
import { createDeviceSource, switchedOff, type DeviceSource } from '../sources/device/source.ts';
import { createActivityLog } from '../sources/device/watch/activity.ts';
import type { OperatorLine } from './agent.ts';
import { appParts, type NodeStanding } from './device-app.ts';
import { builtIn } from './device-capabilities.ts';

/** What a process gives to a hub that offers its machine. */
export interface DevicePlace {
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly run: RunProgram;
  /** How it stands with the gateway whose node this machine is; undefined: it is none. */
  node?(): NodeStanding | undefined;
  /** What a person did on the canvas, for the agent that shows it. */
  onAction?(action: CanvasAction, message: string): void;
  /** A setting that a client may make stricter: on disk and in force when it resolves. */
  changeSetting?(path: readonly string[], value: boolean): Promise<void>;
}

export interface DeviceParts extends DevicePlace {
  readonly env: Environment;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: Limits;
  config(): Config;
  /** Undefined: no gateway is known. */
  line(): OperatorLine | undefined;
  onOffer(offer: Offer): void;
}

export interface Device extends DeviceSource {
  /** From now on, what this approval is about runs without asking. Throws where that cannot be said of it. */
  allowAlways(approval: OpenApproval): void;
}

export function createDevice(parts: DeviceParts): Device {
  const { log, config, onOffer } = parts;
  const registry = createRegistry({ isOn: (name) => isOn(config().device, name), log });
  const { capabilities, allowAlways, close } = builtIn({
    ...parts,
    settings: () => config().device,
    app: appParts(parts),
  });
  for (const capability of capabilities) registry.register(capability);
  const source = createDeviceSource({
    registry,
    activity: createActivityLog(parts.limits.maxActivityEntries),
    log,
    onOffer,
  });
  return {
    ...source,
    allowAlways({ server, tool, arguments: subject }) {
      const plan = server === DEVICE_SOURCE && tool === RUN ? readSubject(subject) : undefined;
      if (plan === undefined) throw onlyOnce(`${server}.${tool}`);
      allowAlways(plan);
    },
    async stop() {
      await source.stop();
      await close();
    },
  };
}

const RUN = 'system.run';

const onlyOnce = (what: string): PincerError =>
  new PincerError('ARGUMENT_INVALID', `${visible(what)} can be allowed once, not for good.`, {
    hint: 'Without --always it runs once. "policy" in the configuration says what runs without asking.',
  });

/** A capability that a program registers has no switch: it is on. */
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
