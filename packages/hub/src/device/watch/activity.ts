/** The latest calls of this machine. Of what went in and out nothing is kept. */
import { DEVICE_SOURCE } from '../../core/caller.ts';
import type { CallRecord, Observer } from '../../core/ports.ts';

export interface Activity {
  readonly at: string;
  readonly command: string;
  readonly caller: string;
  readonly surface: string;
  readonly outcome: string;
  readonly code?: string | undefined;
  readonly durationMs: number;
}

export interface ActivityLog extends Observer {
  /** The latest first. */
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
