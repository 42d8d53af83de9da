import type { Clock, Store } from '../core/ports.ts';
import { appSessionTable } from './app-sessions.ts';
import { approvalTable } from './approvals.ts';
import { callAppender } from './calls.ts';
import { catalogTable } from './catalogs.ts';
import { credentialTable } from './credentials.ts';
import { openDatabase } from './open-database.ts';
import { pinTable } from './pins.ts';
import { DEFAULT_RETENTION, startPruner, type Retention } from './retention.ts';

export interface StoreOptions {
  /** What is kept of the calls; by default 30 days and 500 MB. */
  readonly retention?: Partial<Retention>;
  /** The file was damaged: it is now at `movedTo`, and a new, empty one is in use. */
  onDamaged?(movedTo: string): void;
  /** What an app registered could not be read any more: the session of this id is gone. */
  onSessionDropped?(id: string): void;
  /** Old calls could not be removed; it is tried again within an hour. */
  onPruneFailed?(error: unknown): void;
}

/** The state of one hub process, which alone opens the file at `path`; its folder exists. */
export function openStore(path: string, clock: Clock, options: StoreOptions = {}): Store {
  const db = openDatabase(path, {
    now: () => clock.now(),
    onDamaged: (movedTo) => options.onDamaged?.(movedTo),
  });
  const append = callAppender(db);
  const pruner = startPruner(db, {
    clock,
    retention: { ...DEFAULT_RETENTION, ...options.retention },
    onFailed: (error) => options.onPruneFailed?.(error),
  });
  return {
    ...catalogTable(db),
    ...credentialTable(db),
    ...pinTable(db),
    ...approvalTable(db),
    appSessions: appSessionTable(db, (id) => options.onSessionDropped?.(id)),
    appendCalls(records) {
      if (records.length === 0) return;
      append(records);
      pruner.appended(records.length);
    },
    close() {
      pruner.stop();
      if (db.isOpen) db.close();
    },
  };
}
