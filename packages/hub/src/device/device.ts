/** This machine as part of the hub: registers the capabilities, and connects them with configuration and approvals. */
import type { DeviceConfig } from '../config/device-schema.ts';
import type { Config } from '../config/schema.ts';
import { DEVICE_SOURCE, mayUse } from '../core/caller.ts';
import { naturalName } from '../core/catalog/tool-name.ts';
import type { Offer } from '../core/catalog/offer.ts';
import type { Environment } from '../lib/process.ts';
import { PincerError } from '../core/errors.ts';
import type { Limits } from '../core/limits.ts';
import type { Clock, Log } from '../core/ports.ts';
import type { RunProgram } from '../core/program.ts';
import type { Addressed } from '../core/call/route.ts';
import { visible } from '../core/visible.ts';
import { parseBytes } from '../core/wire/byte-text.ts';
import { findMember } from '../core/wire/members.ts';
import type { OpenApproval } from '../core/approvals/approvals.ts';
import type { CanvasAction } from './canvas/capability.ts';
import { readSubject } from './exec/subject.ts';
import { type Capability, CommandFailure } from './registry/capability.ts';
import { createRegistry, type CapabilityRegistry } from './registry/registry.ts';
import { cannotWork, createDeviceSource, switchedOff, type DeviceSource } from './source.ts';
import { createActivityLog } from './resources.ts';
import type { OperatorLine } from '../openclaw/socket.ts';
import { builtIn } from './capabilities.ts';
import { valueAt } from '../lib/record.ts';
import type { AppParts } from './app/facts.ts';

/** What the process passes to a hub that offers its machine. */
export interface DevicePlace {
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly run: RunProgram;
  /** Whether the machine is offered with these settings. Absent: always. */
  isOffered?(settings: DeviceConfig): boolean;
  /** The connection to the gateway of the node. Undefined if this machine is not a node. */
  node?(): NodeStanding | undefined;
  /** Called with a person's action on the canvas, for the agent that shows it. */
  onAction?(action: CanvasAction, message: string): void;
  /** Changes a setting that clients may make stricter. Resolves when it is on disk and in force. */
  changeSetting?(path: readonly string[], value: boolean): Promise<void>;
}

export interface DeviceParts extends DevicePlace {
  readonly env: Environment;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: Limits;
  config(): Config;
  /** The connection to a gateway as an operator. Undefined if no gateway is known. */
  line(): OperatorLine | undefined;
  onOffer(offer: Offer): void;
}

export interface Device extends DeviceSource {
  /** Whether the machine is offered now. */
  readonly isOffered: boolean;
  /** Allows the subject of this approval permanently. Throws if that is impossible. */
  allowAlways(approval: OpenApproval): void;
}

export function createDevice(parts: DeviceParts): Device {
  const { log, config, onOffer } = parts;
  const isOffered = (): boolean => parts.isOffered?.(config().device) !== false;
  const registry = createRegistry({ isOn: (name) => isOffered() && isOn(config().device, name), log });
  const { capabilities, allowAlways, close } = builtIn({
    ...parts,
    settings: () => config().device,
    app: appParts(parts),
  });
  for (const capability of capabilities) registry.register(capability);
  let wasOffered = false;
  const source = createDeviceSource({
    registry,
    activity: createActivityLog(parts.limits.maxActivityEntries),
    log,
    lookEveryMs: parts.limits.deviceLookMs,
    onOffer(offer) {
      if (isOffered()) onOffer(offer);
    },
  });
  return {
    ...source,
    get isOffered() {
      return isOffered();
    },
    /** A machine that was never offered is not checked. */
    configure() {
      if (isOffered() || wasOffered) source.configure();
      wasOffered = isOffered();
    },
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
  new PincerError('ARGUMENT_INVALID', `${visible(what)} can be allowed once, but not for good.`, {
    hint: 'Leave out --always to allow it once. To run it without asking, change "policy" in the configuration.',
  });

/** A capability without a switch is on. */
const isOn = ({ capabilities }: DeviceConfig, name: string): boolean =>
  !Object.hasOwn(capabilities, name) || capabilities[name as keyof typeof capabilities];

/** Why a command of this machine is not offered. Undefined for callers that may not use it. */
export function findSwitchedOff(
  registry: CapabilityRegistry,
  { method, view, params, caller }: Addressed,
): PincerError | undefined {
  const raw = findMember(params, 'name');
  if (method !== 'tools/call' || !raw?.startsWith('"')) return undefined;
  const requested = parseBytes(raw) as string;
  const name =
    view === DEVICE_SOURCE ? requested : view === undefined ? commandNamed(registry, requested) : undefined;
  if (name === undefined) return undefined;
  const by = registry.switchOf(name);
  const lack = registry.lackOf(name);
  if (by === undefined && lack === undefined) return undefined;
  if (!mayUse(caller.scopes, { server: DEVICE_SOURCE, name, readOnly: false })) return undefined;
  return lack === undefined ? switchedOff(name, by) : cannotWork(name, lack);
}

const commandNamed = (registry: CapabilityRegistry, exposed: string): string | undefined =>
  registry.capabilities
    .flatMap(({ commands }: Capability) => [...commands.keys()])
    .find((name) => naturalName(DEVICE_SOURCE, name.replaceAll('.', '_')) === exposed);

/** This node's connection state with its gateway. */
interface NodeStanding {
  readonly isConnected: boolean;
  readonly isPaired: boolean;
  readonly isPending: boolean;
  /** The version of OpenClaw at the gateway. */
  readonly version?: string | undefined;
}

export interface DeviceAppParts {
  /** The connection to the gateway of `order_openclaw`. Undefined if none is known. */
  line(): OperatorLine | undefined;
  config(): Config;
  node?(): NodeStanding | undefined;
  changeSetting?(path: readonly string[], value: boolean): Promise<void>;
}

/** The gateway and the settings, for `app.*`. */
export const appParts = ({ line, config, node, changeSetting }: DeviceAppParts): AppParts => ({
  gateway() {
    const found = line();
    const standing = node?.();
    if (found === undefined && standing === undefined) return undefined;
    return {
      state: () => ({
        connectionStatus: found?.isConnected || standing?.isConnected ? 'Connected' : 'Disconnected',
        nodeConnected: standing?.isConnected ?? false,
        nodePaired: standing?.isPaired ?? false,
        nodePendingApproval: standing?.isPending ?? false,
        gatewayVersion: found?.version ?? standing?.version,
      }),
      request: (method, params) => found?.request(method, params) ?? Promise.reject(onlyNode()),
    };
  },
  settings: {
    get: (key) => valueAt(config(), key.split('.')),
    async set(key, value) {
      if (changeSetting === undefined)
        throw new PincerError('CONFIG_UNREADABLE', 'This hub does not write its configuration.');
      await changeSetting(key.split('.'), value);
    },
  },
});

const onlyNode = (): CommandFailure =>
  new CommandFailure('The gateway does not answer this to a node', {
    hint: 'This machine is only a node of it. To ask as an operator, set agent.gatewayUrl to the same gateway.',
    notExecuted: true,
  });
