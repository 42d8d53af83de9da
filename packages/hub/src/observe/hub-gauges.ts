/** What the hub is busy with, read at each scrape. */
import { numbers, type Family } from './family.ts';
import type { Metrics } from './metrics.ts';
import { serverFamilies, type ServerReading } from './server-families.ts';

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
