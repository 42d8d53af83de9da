import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../core/ports.ts';

export interface Retention {
  readonly maxAgeMs: number;
  /** Size of all used pages of the file. */
  readonly maxBytes: number;
}

export const DEFAULT_RETENTION: Retention = { maxAgeMs: 30 * 24 * 3_600_000, maxBytes: 500_000_000 };

const ROUND_EVERY_MS = 3_600_000;
/** A busy hour writes gigabytes; this many rows are 2 MB, or 40 MB with the longest arguments that are kept. */
const ROUND_EVERY_ROWS = 20_000;

/** A slice blocks the event loop for less than a millisecond, apart from checkpoints. Calls pass in between. */
const SLICE_ROWS = 500;
const SLICE_PAGES = 64;
const PAUSE_MS = 20;
/** Free pages that stay in the file for the next rows. */
const SPARE_PAGES = 1_024;

export interface PrunerOptions {
  readonly clock: Clock;
  readonly retention: Retention;
  readonly onFailed: (error: unknown) => void;
}

export interface Pruner {
  /** Starts a round when one is due. */
  appended(rows: number): void;
  stop(): void;
}

/** Deletes the oldest calls. The first round begins at once. */
export function startPruner(db: DatabaseSync, { clock, retention, onFailed }: PrunerOptions): Pruner {
  const oldest = `SELECT id FROM calls ORDER BY id LIMIT ${SLICE_ROWS}`;
  const dropExpired = db.prepare(`DELETE FROM calls WHERE id IN (${oldest}) AND at < ?`);
  const dropOldest = db.prepare(`DELETE FROM calls WHERE id IN (${oldest})`);
  const pages = fileSize(db);
  let timer: NodeJS.Timeout | undefined;
  let begunAt = 0;
  let rowsSince = 0;

  const tooOld = (): boolean => dropExpired.run(clock.now() - retention.maxAgeMs).changes > 0;
  const tooMany = (): boolean => pages.usedBytes() > retention.maxBytes && dropOldest.run().changes > 0;
  const tooLoose = (): boolean => {
    if (pages.free() <= SPARE_PAGES) return false;
    db.exec(`PRAGMA incremental_vacuum(${SLICE_PAGES})`);
    return true;
  };

  function slice(): void {
    timer = undefined;
    try {
      if (tooOld() || tooMany() || tooLoose()) timer = setTimeout(slice, PAUSE_MS).unref();
    } catch (error) {
      // The next round tries again.
      onFailed(error);
    }
  }

  function round(): void {
    begunAt = clock.elapsed();
    rowsSince = 0;
    if (timer === undefined) slice();
  }

  round();
  return {
    appended(rows) {
      rowsSince += rows;
      if (rowsSince >= ROUND_EVERY_ROWS || clock.elapsed() - begunAt >= ROUND_EVERY_MS) round();
    },
    stop: () => clearTimeout(timer),
  };
}

function fileSize(db: DatabaseSync): { free(): number; usedBytes(): number } {
  const ask = (name: string): (() => number) => {
    const statement = db.prepare(`PRAGMA ${name}`);
    return () => Number(statement.get()?.[name]);
  };
  const all = ask('page_count');
  const free = ask('freelist_count');
  const pageSize = ask('page_size')();
  return { free, usedBytes: () => (all() - free()) * pageSize };
}
