/** What a hub is, and what it needs: for those who hold one. */
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
  /** Of the process that the hub runs in: what servers may inherit. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What sign-ins have given; without it nobody signs in to a server. */
  readonly grants?: Grants;
  /** Where OpenClaw is; without it there is no `order_openclaw`. */
  readonly agent?: AgentPlace | undefined;
  /** The machine whose capabilities are offered; without it there are none. */
  readonly device?: DevicePlace | undefined;
  /** What apps there are by a configuration; without it there is no app proxy. */
  readonly appSettings?: ((config: Config) => AppSettings) | undefined;
  /** Tells the person of a call that waits for them, besides the log. */
  notify?(approval: OpenApproval): void;
}

export interface Hub {
  /** The tools of apps, where the proxy for them runs. */
  readonly apps: Apps | undefined;
  /** This machine, where it is offered. */
  readonly device: Device | undefined;
  readonly catalog: Catalog;
  readonly calls: Calls;
  readonly callsInFlight: number;
  /** Whether something is under way, also what nobody waits for just now. */
  readonly isBusy: boolean;
  readonly limits: Limits;
  readonly log: Log;
  readonly slots: Slots;
  readonly dispatch: Dispatch;
  readonly credentials: Credentials;
  /** Calls that wait for a person. */
  readonly approvals: Approvals;
  /** What will become of a call that a program is about to send; where a person has to be asked, the question is open. */
  askAhead(call: Addressed, maxBytes: number): Promise<Foretold>;
  /** A legacy client is there, and hears of changes until it has gone. */
  readonly onClient: OnClient;
  /** Connects to the servers that are to run from the start, in the background. */
  connectAll(): void;
  /** Takes over what differs in another configuration; calls under way go on. */
  reconcile(config: Config): Difference;
  /** Connects to a server that is not configured yet, and keeps it when that worked, or when it waits for a sign-in. */
  add(name: string, config: ServerConfig, options?: AddOptions): Promise<void>;
  statuses(): HubServerStatus[];
  /** A server as it is configured; undefined: there is none of that name. */
  configOf(server: string): ServerConfig | undefined;
  /** Told of a server that waits for a sign-in, each time that it begins to. */
  onSignInNeeded(listener: (server: string, reason: PincerError) => void): () => void;
  /** Where the person hosts Pincer's metadata document. */
  clientMetadataUrl(): string | undefined;
  /** Ends the connection to a server, and what it offers, until it is refreshed or the hub starts again. */
  disconnect(server: string): void;
  /** This caller comes no more: what goes on for it without a connection ends. */
  forgetCaller(id: string): void;
  /** Connects where that is not so, and asks for all that the server offers anew. */
  refresh(server: string): Promise<void>;
  /** Tools that wait for a person. */
  readonly trust: Pick<Trust, 'held' | 'isHeld' | 'onHeld'>;
  /** Accepts what is offered now, of one tool or of all that wait; gives back their names. */
  accept(server: string, tool?: string, seen?: ReadonlySet<string>): readonly string[];
  /** Why a server cannot be used now. */
  problemOf(server: string): PincerError | undefined;
  /** Resolves when every server of the view has been heard or has failed; undefined when that is so already. */
  whenKnown(view: View, waitMs?: number): Promise<void> | undefined;
  stop(): Promise<void>;
}
