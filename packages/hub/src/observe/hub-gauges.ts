/** The hub's current load, read at each scrape. */
import { numbers, type Family, type NumberPoint } from './family.ts';
import type { Metrics } from './metrics.ts';

export interface HubReadings {
  now(): number;
  callsInFlight(): number;
  slotsInUse(): number;
  streamsOpen(): number;
  sessions(): number;
  /** Open approvals. */
  approvalsWaiting(): number;
  /** Only if the app proxy runs. */
  readonly apps?: AppReadings | undefined;
  readonly audit: { readonly written: number; readonly waiting: number; readonly dropped: number };
  servers(): readonly ServerReading[];
}

export interface AppReadings {
  sessions(): number;
  /** Sessions with a connected app. */
  bridges(): number;
  /** Calls not sent yet because the app is not connected. */
  callsWaiting(): number;
}

export function addHubGauges(metrics: Pick<Metrics, 'collect'>, hub: HubReadings): void {
  metrics.collect(() => [
    numbers('pincer_calls_in_flight', 'Calls that are running now.', hub.callsInFlight()),
    numbers('pincer_slots_in_use', 'Requests that hold a slot now.', hub.slotsInUse()),
    numbers('pincer_streams_open', 'Streams that stay open.', hub.streamsOpen()),
    numbers('pincer_sessions', 'Legacy protocol sessions.', hub.sessions()),
    numbers('pincer_approvals_waiting', 'Open approvals.', hub.approvalsWaiting()),
    numbers('pincer_audit_rows_total', 'Calls that were recorded.', hub.audit.written),
    numbers('pincer_audit_dropped_total', 'Calls that could not be recorded.', hub.audit.dropped),
    numbers('pincer_audit_waiting', 'Calls that are queued to be recorded.', hub.audit.waiting),
    ...(hub.apps === undefined ? [] : appFamilies(hub.apps)),
    ...serverFamilies(hub.servers(), hub.now()),
  ]);
}

const appFamilies = (apps: AppReadings): Family[] => [
  numbers('pincer_app_sessions', 'Sessions of apps.', apps.sessions()),
  numbers('pincer_app_bridges', 'Sessions of apps that are connected.', apps.bridges()),
  numbers('pincer_app_calls_waiting', 'Calls that wait for their app to connect.', apps.callsWaiting()),
];

/** The measured part of a server's status. Values that a source does not count are absent. */
export interface ServerReading {
  readonly name: string;
  readonly state: string;
  /** Failed attempts in a row. */
  readonly attempts: number;
  /** Time of the next automatic attempt, in milliseconds since 1970. */
  readonly nextTryAt: number | undefined;
  readonly inFlight: number;
  /** Retried calls. */
  readonly repeated: number;
  /** Time of the last successful discovery, in milliseconds since 1970. */
  readonly lastDiscoveryAt: number | undefined;
  /** How often it became ready. */
  readonly connects?: number | undefined;
  /** Number of discoveries, and of failed ones. */
  readonly discoveries?: number | undefined;
  readonly discoveryFailures?: number | undefined;
  /** Its offer is from an earlier connection. */
  readonly isStale?: boolean | undefined;
  /** Usable tools, and held tools. */
  readonly tools?: number | undefined;
  readonly held?: number | undefined;
}

const STATES = ['idle', 'connecting', 'ready', 'backoff', 'needs-sign-in', 'failed', 'disabled', 'stopped'];

/** Metrics of each configured server. */
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
      '1 for the current state of the server, 0 for the others.',
      servers.flatMap(({ name: server, state: current }) =>
        STATES.map((state) => ({ labels: { server, state }, value: Number(state === current) })),
      ),
    ),
    perServer('calls_in_flight', 'Calls that the server has not answered yet.', ({ inFlight }) => inFlight),
    perServer(
      'calls_repeated_total',
      'Calls retried because they had not run or are idempotent.',
      (it) => it.repeated,
    ),
    perServer('connects_total', 'Times that the server became ready.', (it) => it.connects),
    perServer('failed_attempts', 'Attempts to connect that failed in a row.', (it) => it.attempts),
    perServer(
      'backoff_seconds',
      'Time until the next attempt to connect; 0 if none is planned.',
      ({ nextTryAt }) => (nextTryAt === undefined ? 0 : Math.max(0, nextTryAt - now) / 1_000),
    ),
    perServer('discoveries_total', 'Discoveries of the offer.', (it) => it.discoveries),
    perServer('discovery_failures_total', 'Failed discoveries of the offer.', (it) => it.discoveryFailures),
    perServer('last_discovery_timestamp_seconds', 'Time of the last successful discovery.', (it) =>
      it.lastDiscoveryAt === undefined ? undefined : it.lastDiscoveryAt / 1_000,
    ),
    perServer('catalog_stale', '1 if the listed offer is from an earlier connection.', ({ isStale }) =>
      isStale === undefined ? undefined : Number(isStale),
    ),
    perServer('tools', 'Tools of the server that callers can use.', (it) => it.tools),
    perServer('tools_held', 'Tools held until a person accepts them.', (it) => it.held),
  ].filter(({ points }) => points.length > 0);
}
