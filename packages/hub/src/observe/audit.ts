import type { CallRecord, Log, Observer } from '../core/ports.ts';

const FLUSH_AFTER_MS = 100;
const BATCH_ROWS = 500;
const MAX_WAITING_ROWS = 20_000;

export interface AuditOptions {
  /** Writes one batch, all or nothing; may throw. */
  readonly append: (records: readonly CallRecord[]) => void;
  readonly log: Log;
}

export interface Audit extends Observer {
  /** Writes what waits, now. */
  flush(): void;
  /** Writes what waits, with its retry; rows that come later count as dropped. */
  close(): void;
  /** Rows that were never written. */
  readonly dropped: number;
}

interface Batch {
  readonly rows: CallRecord[];
  failed: boolean;
}

/** Batches the rows of finished calls, off the way of the calls. */
export function createAudit({ append, log }: AuditOptions): Audit {
  const queue: Batch[] = [];
  let waiting = 0;
  let dropped = 0;
  let overflowing = false;
  let failing = false;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let immediate: NodeJS.Immediate | undefined;

  function openBatch(): Batch {
    const last = queue.at(-1);
    if (last !== undefined && !last.failed && last.rows.length < BATCH_ROWS) return last;
    const batch: Batch = { rows: [], failed: false };
    queue.push(batch);
    return batch;
  }

  /** One batch per turn of the event loop, so that a backlog does not hold up calls; a failed one waits. */
  function schedule(): void {
    const next = queue[0];
    if (next === undefined || closed) return;
    if (next.failed || next.rows.length < BATCH_ROWS) timer ??= setTimeout(tick, FLUSH_AFTER_MS).unref();
    else immediate ??= setImmediate(tick).unref();
  }

  function unschedule(): void {
    clearTimeout(timer);
    clearImmediate(immediate);
    timer = undefined;
    immediate = undefined;
  }

  function tick(): void {
    unschedule();
    const batch = queue[0];
    if (batch !== undefined) write(batch);
    schedule();
  }

  function write(batch: Batch): void {
    try {
      append(batch.rows);
      failing = false;
    } catch (error) {
      if (!batch.failed) {
        batch.failed = true;
        return;
      }
      dropped += batch.rows.length;
      // One line until a write succeeds again; the count is in the metrics.
      if (!failing) log.error('audit rows cannot be written and are dropped', { error, dropped });
      failing = true;
    }
    queue.splice(queue.indexOf(batch), 1);
    waiting -= batch.rows.length;
    if (waiting === 0) overflowing = false;
  }

  function overflow(): void {
    dropped += 1;
    if (overflowing || closed) return;
    overflowing = true;
    log.warn('audit rows come faster than they are written; some are dropped', { waiting });
  }

  function flush(): void {
    unschedule();
    for (const batch of queue.slice()) write(batch);
    schedule();
  }

  return {
    callEnded(record) {
      if (waiting >= MAX_WAITING_ROWS || closed) return overflow();
      const batch = openBatch();
      batch.rows.push(record);
      waiting += 1;
      // The first row starts the clock, the last one ends it; those between have nothing to do.
      if (batch.rows.length === 1 || batch.rows.length === BATCH_ROWS) schedule();
    },
    flush,
    close() {
      flush();
      flush();
      closed = true;
      unschedule();
    },
    get dropped() {
      return dropped;
    },
  };
}
