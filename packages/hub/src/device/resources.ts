/** Resources of this machine: its recent calls, its capabilities, and the clients that subscribe to them. */
import { DEVICE_SOURCE } from '../core/caller.ts';
import type { Client } from '../core/client.ts';
import { PincerError } from '../core/errors.ts';
import type { Outcome } from '../core/outcome.ts';
import type { CallRecord, Observer } from '../core/ports.ts';
import { visible } from '../core/visible.ts';
import { jsonBytes } from '../core/wire/byte-text.ts';
import type { CapabilityRegistry } from './registry/registry.ts';

export const ACTIVITY_URI = 'device://activity';
export const CAPABILITIES_URI = 'device://capabilities';

export const DEVICE_RESOURCES = [
  {
    uri: ACTIVITY_URI,
    name: 'activity',
    title: 'Recent activity',
    description:
      'The latest calls of commands on this machine: command, caller, outcome and duration. Without arguments and results.',
    mimeType: 'application/json',
  },
  {
    uri: CAPABILITIES_URI,
    name: 'capabilities',
    title: 'Capabilities',
    description:
      'Every capability of this machine: whether it is switched on, which backend it uses, and what to install if a backend is missing.',
    mimeType: 'application/json',
  },
] as const;

export type DeviceUri = (typeof DEVICE_RESOURCES)[number]['uri'];

export const isDeviceUri = (uri: string): uri is DeviceUri =>
  DEVICE_RESOURCES.some((resource) => resource.uri === uri);

export const noResource = (uri: string): PincerError =>
  new PincerError('RESOURCE_UNKNOWN', `Resource not found: ${visible(uri)}`, {
    hint: `Available: ${ACTIVITY_URI} and ${CAPABILITIES_URI}.`,
  });

interface ResourceParts {
  readonly registry: Pick<CapabilityRegistry, 'readiness'>;
  readonly activity: Pick<ActivityLog, 'list'>;
}

export async function readResource({ registry, activity }: ResourceParts, uri: DeviceUri): Promise<Outcome> {
  const value =
    uri === ACTIVITY_URI ? { calls: activity.list() } : { capabilities: await registry.readiness() };
  const text = JSON.stringify(value, undefined, 2);
  const contents = [{ uri, mimeType: 'application/json', text }];
  return { kind: 'ok', result: jsonBytes({ contents }), era: 'legacy', extra: '' };
}

interface Activity {
  readonly at: string;
  readonly command: string;
  readonly caller: string;
  readonly surface: string;
  readonly outcome: string;
  readonly code?: string | undefined;
  readonly durationMs: number;
}

export interface ActivityLog extends Observer {
  /** The newest first. */
  list(): readonly Activity[];
  onChange(listener: () => void): () => void;
}

export function createActivityLog(maxEntries: number): ActivityLog {
  const entries: Activity[] = [];
  const listeners = new Set<() => void>();

  return {
    callEnded(record) {
      if (record.server !== DEVICE_SOURCE || record.method !== 'tools/call') return;
      entries.unshift(activityOf(record));
      entries.length = Math.min(entries.length, maxEntries);
      for (const listener of listeners) listener();
    },
    list: () => entries,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

const activityOf = ({ at, tool, caller, surface, outcome, code, durationMs }: CallRecord): Activity => ({
  at: new Date(at).toISOString(),
  command: tool,
  caller,
  surface,
  outcome,
  code,
  durationMs: Math.round(durationMs * 10) / 10,
});

interface Watchers {
  add(uri: string, client: Client): void;
  remove(uri: string, client: Client): void;
  forget(client: Client): void;
  /** Notifies subscribers at once, then throttles. */
  changed(uri: string): void;
  close(): void;
}

const EVERY_MS = 250;

export function createWatchers(): Watchers {
  const watching = new Map<string, Set<Client>>();
  const throttled = new Map<string, { timer: NodeJS.Timeout; again: boolean }>();

  function notify(uri: string): void {
    for (const client of watching.get(uri) ?? [])
      client.notify('notifications/resources/updated', jsonBytes({ uri }));
  }

  function changed(uri: string): void {
    const throttle = throttled.get(uri);
    if (throttle !== undefined) {
      throttle.again = true;
      return;
    }
    if ((watching.get(uri)?.size ?? 0) === 0) return;
    notify(uri);
    const timer = setTimeout(() => {
      const { again } = throttled.get(uri)!;
      throttled.delete(uri);
      if (again) changed(uri);
    }, EVERY_MS).unref();
    throttled.set(uri, { timer, again: false });
  }

  return {
    add(uri, client) {
      const clients = watching.get(uri) ?? new Set();
      watching.set(uri, clients.add(client));
    },
    remove: (uri, client) => void watching.get(uri)?.delete(client),
    forget(client) {
      for (const clients of watching.values()) clients.delete(client);
    },
    changed,
    close() {
      for (const { timer } of throttled.values()) clearTimeout(timer);
      throttled.clear();
    },
  };
}
