/** This machine, with all that it can do. */
import type { DeviceConfig } from '../config/device-schema.ts';
import type { Config } from '../config/schema.ts';
import { DEVICE_SOURCE, mayUse } from '../core/caller.ts';
import { naturalName } from '../core/catalog/tool-name.ts';
import type { Offer } from '../core/catalog/offer.ts';
import type { Environment } from '../lib/environment.ts';
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
import type { Capability } from './registry/capability.ts';
import { createRegistry, type CapabilityRegistry } from './registry/registry.ts';
import { cannotWork, createDeviceSource, switchedOff, type DeviceSource } from './source.ts';
import { createActivityLog } from './watch/activity.ts';
import type { OperatorLine } from '../openclaw/socket.ts';
import { builtIn } from './capabilities.ts';
import { valueAt } from '../lib/value-at.ts';
import type { AppParts } from './app/parts.ts';
import { CommandFailure } from './registry/failure.ts';

/** What a process gives to a hub that offers its machine. */
export interface DevicePlace {
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly run: RunProgram;
  /** Whether it is offered with these settings; absent: always. */
  isOffered?(settings: DeviceConfig): boolean;
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
  /** Whether it is offered now. */
  readonly isOffered: boolean;
  /** From now on, what this approval is about runs without asking. Throws where that cannot be said of it. */
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
    /** What was never offered is not looked at. */
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

/** How it stands between this machine and the gateway whose node it is. */
interface NodeStanding {
  readonly isConnected: boolean;
  readonly isPaired: boolean;
  readonly isPending: boolean;
  /** Of OpenClaw there. */
  readonly version?: string | undefined;
}

export interface DeviceAppParts {
  /** To the gateway that Pincer asks for its agent; undefined: none is known. */
  line(): OperatorLine | undefined;
  config(): Config;
  node?(): NodeStanding | undefined;
  changeSetting?(path: readonly string[], value: boolean): Promise<void>;
}

/** What `app.*` says of Pincer: its gateway, its settings. */
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
  new CommandFailure('The gateway does not tell a node this', {
    hint: 'This machine is a node of it, and an operator may ask more: set agent.gatewayUrl to it, too.',
    notExecuted: true,
  });
