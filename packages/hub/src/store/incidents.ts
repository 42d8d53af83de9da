/** Incidents with the files of the store since the hub started, for status, doctor and the log. */
import type { Clock, StoreIncident } from '../core/ports.ts';
import { messageOf, PincerError } from '../core/errors.ts';
import { asDiskError } from '../core/disk-error.ts';

/** Only the newest incidents are kept. */
const KEPT = 50;

export interface Incidents {
  add(incident: Omit<StoreIncident, 'at' | 'isOpen'>): void;
  /** Reports a failed write once, until one succeeds. Returns the error to throw. */
  failed(path: string, error: unknown): unknown;
  worked(path: string): void;
  list(): readonly StoreIncident[];
}

export function createIncidents(
  clock: Pick<Clock, 'now'>,
  onIncident: (incident: StoreIncident) => void,
): Incidents {
  const past: StoreIncident[] = [];
  const failing = new Map<string, StoreIncident>();
  return {
    add(given) {
      const incident = { at: clock.now(), ...given, isOpen: false };
      past.push(incident);
      if (past.length > KEPT) past.shift();
      onIncident(incident);
    },
    failed(path, error) {
      const known = asDiskError(path, error);
      if (failing.has(path)) return known;
      const incident: StoreIncident = {
        at: clock.now(),
        file: path,
        part: 'file',
        message: PincerError.is(known) ? known.message : `${path} cannot be written: ${messageOf(error)}`,
        hint: (PincerError.is(known) ? known.hint : undefined) ?? 'Run `pincer doctor`.',
        isOpen: true,
      };
      failing.set(path, incident);
      onIncident(incident);
      return known;
    },
    worked(path) {
      if (failing.size > 0) failing.delete(path);
    },
    list: () => [...past, ...failing.values()],
  };
}
