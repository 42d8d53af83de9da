/** What the hub is busy with, read at each scrape. */
import { numbers, type Family, type NumberPoint } from './family.ts';
import type { Metrics } from './metrics.ts';

export interface HubReadings {
  now(): number;
  callsInFlight(): number;
  slotsInUse(): number;
  streamsOpen(): number;
  sessions(): number;
  /** Questions to a person that are open. */
  approvalsWaiting(): number;
  /** Where the app proxy runs. */
  readonly apps?: AppReadings | undefined;
  readonly audit: { readonly written: number; readonly waiting: number; readonly dropped: number };
  servers(): readonly ServerReading[];
}

export interface AppReadings {
  sessions(): number;
  /** Sessions whose app is connected. */
  bridges(): number;
  /** Calls that were not sent yet, because the app is not connected. */
  callsWaiting(): number;
}

export function addHubGauges(metrics: Pick<Metrics, 'collect'>, hub: HubReadings): void {
  metrics.collect(() => [
    numbers('pincer_calls_in_flight', 'Calls that are running now.', hub.callsInFlight()),
    numbers('pincer_slots_in_use', 'Requests that hold a slot now.', hub.slotsInUse()),
    numbers('pincer_streams_open', 'Streams that stay open.', hub.streamsOpen()),
    numbers('pincer_sessions', 'Legacy protocol sessions.', hub.sessions()),
    numbers('pincer_approvals_waiting', 'Questions to a person that are open.', hub.approvalsWaiting()),
    numbers('pincer_audit_rows_total', 'Calls that were recorded.', hub.audit.written),
    numbers('pincer_audit_dropped_total', 'Calls that could not be recorded.', hub.audit.dropped),
    numbers('pincer_audit_waiting', 'Calls that are to be recorded in a moment.', hub.audit.waiting),
    ...(hub.apps === undefined ? [] : appFamilies(hub.apps)),
    ...serverFamilies(hub.servers(), hub.now()),
  ]);
}

const appFamilies = (apps: AppReadings): Family[] => [
  numbers('pincer_app_sessions', 'Sessions of apps.', apps.sessions()),
  numbers('pincer_app_bridges', 'Sessions of apps that are connected.', apps.bridges()),
  numbers('pincer_app_calls_waiting', 'Calls that wait for their app to connect.', apps.callsWaiting()),
];

/** A server's status, as far as it is measured. What a source does not count yet is left out. */
export interface ServerReading {
  readonly name: string;
  readonly state: string;
  /** Attempts in a row that failed. */
  readonly attempts: number;
  /** When it is tried again by itself, in milliseconds since 1970. */
  readonly nextTryAt: number | undefined;
  readonly inFlight: number;
  /** Calls that were sent a second time. */
  readonly repeated: number;
  /** When it last said what it offers, in milliseconds since 1970. */
  readonly lastDiscoveryAt: number | undefined;
  /** How often it became ready. */
  readonly connects?: number | undefined;
  /** How often it was asked what it offers, and how often that failed. */
  readonly discoveries?: number | undefined;
  readonly discoveryFailures?: number | undefined;
  /** What it offers is known from before, not from now. */
  readonly isStale?: boolean | undefined;
  /** Tools that callers can use, and tools that are held back until a person accepts them. */
  readonly tools?: number | undefined;
  readonly held?: number | undefined;
}

const STATES = ['idle', 'connecting', 'ready', 'backoff', 'needs-sign-in', 'failed', 'disabled', 'stopped'];

/** What is known of each configured server, as measurements. */
export function serverFamilies(servers: readonly ServerReading[], now: number): Family[] {
  const perServer = (
    name: string,
    help: string,
    read: (server: ServerReading) => number | undefined,
  ): Family =>
    numbers(
      `pincer_server_${name}`,
      help,
      servers.flatMap((server): NumberPoint[] => {
        const value = read(server);
        return value === undefined ? [] : [{ labels: { server: server.name }, value }];
      }),
    );

  return [
    numbers(
      'pincer_servers',
      'Configured servers by state.',
      STATES.map((state) => ({
        labels: { state },
        value: servers.filter((server) => server.state === state).length,
      })),
    ),
    numbers(
      'pincer_server_state',
      '1 for the state that the server is in, 0 for the others.',
      servers.flatMap(({ name: server, state: current }) =>
        STATES.map((state) => ({ labels: { server, state }, value: Number(state === current) })),
      ),
    ),
    perServer('calls_in_flight', 'Calls that the server has not answered yet.', ({ inFlight }) => inFlight),
    perServer(
      'calls_repeated_total',
      'Calls sent twice, which had not run or do no harm.',
      (it) => it.repeated,
    ),
    perServer('connects_total', 'Times that the server became ready.', (it) => it.connects),
    perServer('failed_attempts', 'Attempts to connect that failed in a row.', (it) => it.attempts),
    perServer('backoff_seconds', 'Time until the next attempt to connect; 0: none is due.', ({ nextTryAt }) =>
      nextTryAt === undefined ? 0 : Math.max(0, nextTryAt - now) / 1_000,
    ),
    perServer('discoveries_total', 'Times that the server was asked what it offers.', (it) => it.discoveries),
    perServer('discovery_failures_total', 'Times that it did not say.', (it) => it.discoveryFailures),
    perServer('last_discovery_timestamp_seconds', 'When the server last said what it offers.', (it) =>
      it.lastDiscoveryAt === undefined ? undefined : it.lastDiscoveryAt / 1_000,
    ),
    perServer('catalog_stale', '1: what is shown of the server is known from before.', ({ isStale }) =>
      isStale === undefined ? undefined : Number(isStale),
    ),
    perServer('tools', 'Tools of the server that callers can use.', (it) => it.tools),
    perServer('tools_held', 'Tools that wait to be accepted by a person.', (it) => it.held),
  ].filter(({ points }) => points.length > 0);
}
