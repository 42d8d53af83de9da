/** The interface of a hub and the ports it needs. */
import type { Config, ServerConfig } from '../config/schema.ts';
import type { Foretold } from '../core/call/approval-ahead.ts';
import type { Approvals, OpenApproval } from '../core/approvals/approvals.ts';
import type { Calls } from '../core/call/calls.ts';
import type { Addressed } from '../core/call/route.ts';
import type { Catalog, View } from '../core/catalog/catalog.ts';
import type { Credentials } from '../core/credentials.ts';
import type { PincerError } from '../core/errors.ts';
import type { Limits } from '../core/limits.ts';
import type { Clock, Log, Observer, Sealer, Spawn, Store } from '../core/ports.ts';
import type { Trust } from '../core/trust/trust.ts';
import type { AddOptions, Difference } from '../servers/fleet/fleet.ts';
import type { Grants } from '../servers/oauth/grants/grant-store.ts';
import type { Dispatch } from '../mcp/dispatch.ts';
import type { OnClient } from '../mcp/legacy-client.ts';
import type { Slots } from '../mcp/slots.ts';
import type { AgentPlace } from '../agent/agent.ts';
import type { Device, DevicePlace } from '../device/device.ts';
import type { Apps, AppSettings } from '../apps/apps.ts';
import type { HubServerStatus } from '../servers/server-status.ts';

export interface HubPorts {
  readonly clock: Clock;
  readonly log: Log;
  readonly store: Store;
  readonly spawn: Spawn;
  readonly sealer: Sealer;
  readonly observers: readonly Observer[];
  /** The environment of the hub's process, from which servers may inherit. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Stored sign-ins. Without it, no one can sign in to a server. */
  readonly grants?: Grants;
  /** Where OpenClaw is. Without it there is no `order_openclaw`. */
  readonly agent?: AgentPlace | undefined;
  /** The machine whose capabilities are offered. Without it, none are. */
  readonly device?: DevicePlace | undefined;
  /** Derives the apps from a configuration. Without it there is no app proxy. */
  readonly appSettings?: ((config: Config) => AppSettings) | undefined;
  /** Notifies the person of an approval, besides the log. */
  notify?(approval: OpenApproval): void;
}

export interface Hub {
  /** The apps, if the app proxy runs. */
  readonly apps: Apps | undefined;
  /** This machine, if it is offered. */
  readonly device: Device | undefined;
  readonly catalog: Catalog;
  readonly calls: Calls;
  readonly callsInFlight: number;
  /** Whether any work is in progress, even if no client waits for it now. */
  readonly isBusy: boolean;
  readonly limits: Limits;
  readonly log: Log;
  readonly slots: Slots;
  readonly dispatch: Dispatch;
  readonly credentials: Credentials;
  /** Approvals of calls. */
  readonly approvals: Approvals;
  /** Tells a program in advance what a call would lead to. If it needs an approval, opens one. */
  askAhead(call: Addressed, maxBytes: number): Promise<Foretold>;
  /** Registers a legacy client, which is notified of changes until it leaves. */
  readonly onClient: OnClient;
  /** Connects, in the background, to the servers that start with the hub. */
  connectAll(): void;
  /** Applies the differences of another configuration. Running calls continue. */
  reconcile(config: Config): Difference;
  /** Connects to a new server. Keeps it if that worked or if it needs a sign-in. */
  add(name: string, config: ServerConfig, options?: AddOptions): Promise<void>;
  statuses(): HubServerStatus[];
  /** Returns the configuration of a server, or undefined if the name is unknown. */
  configOf(server: string): ServerConfig | undefined;
  /** Called each time a server starts to need a sign-in. */
  onSignInNeeded(listener: (server: string, reason: PincerError) => void): () => void;
  /** Where the person hosts Pincer's client metadata document. */
  clientMetadataUrl(): string | undefined;
  /** Closes the connection to a server and removes its offer, until it is refreshed or the hub restarts. */
  disconnect(server: string): void;
  /** The caller is gone: ends what continues for it without a connection. */
  forgetCaller(id: string): void;
  /** Connects if necessary, and lists everything the server offers again. */
  refresh(server: string): Promise<void>;
  /** The held tools. */
  readonly trust: Pick<Trust, 'held' | 'isHeld' | 'onHeld'>;
  /** Accepts one held tool or all of them, as offered now. Returns their names. */
  accept(server: string, tool?: string, seen?: ReadonlySet<string>): readonly string[];
  /** Returns why a server cannot be used now. */
  problemOf(server: string): PincerError | undefined;
  /** Resolves when every server in the view is known or has failed; undefined if that is already so. */
  whenKnown(view: View, waitMs?: number): Promise<void> | undefined;
  stop(): Promise<void>;
}
