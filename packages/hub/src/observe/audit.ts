import type { CallRecord, Log, Observer, StoredCall, CallFacts } from '../core/ports.ts';
import { factsOf } from './call-facts.ts';
import { keepArguments, writeArguments, type KeptArguments, type Redact } from './kept-arguments.ts';

const FLUSH_AFTER_MS = 100;

export interface AuditOptions {
  /** Writes one batch, all or nothing; may throw. */
  readonly append: (rows: readonly StoredCall[]) => void;
  readonly log: Log;
  /** How arguments are kept; absent: they are not. */
  readonly arguments?: { readonly redact: Redact; readonly maxBytes: number } | undefined;
}

export interface Audit extends Observer {
  /** Writes what waits, now. */
  flush(): void;
  /** Writes what waits, with its retry; rows that come later count as dropped. */
  close(): void;
  /** Rows that wait to be written. */
  readonly waiting: number;
  readonly written: number;
  /** Rows that were never written. */
  readonly dropped: number;
}

/** Batches the rows of finished calls, off the way of the calls; their arguments are redacted when they are written. */
export function createAudit({ append, log, arguments: kept }: AuditOptions): Audit {
  const queue = createAuditQueue();
  let written = 0;
  let dropped = 0;
  let overflowing = false;
  let failing = false;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let immediate: NodeJS.Immediate | undefined;

  /** One batch per turn of the event loop, so that a backlog does not hold up calls; a failed one waits. */
  function schedule(): void {
    const next = queue.first;
    if (next === undefined || closed) return;
    if (next.failed || !isComplete(next)) timer ??= setTimeout(tick, FLUSH_AFTER_MS).unref();
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
    if (queue.first !== undefined) write(queue.first);
    schedule();
  }

  function write(batch: Batch): void {
    try {
      for (const row of batch.rows) redact(row);
      append(batch.rows);
      written += batch.rows.length;
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
    queue.remove(batch);
    if (queue.waiting === 0) overflowing = false;
  }

  function redact(row: WaitingRow): void {
    if (row.kept === undefined || kept === undefined) return;
    row.arguments = writeArguments(row.kept, kept.redact, kept.maxBytes);
    row.kept = undefined;
  }

  function keep(raw: CallRecord['arguments']): KeptArguments | undefined {
    if (raw === undefined || kept === undefined) return undefined;
    const args = keepArguments(raw, kept.maxBytes);
    return queue.hasRoomFor(args.text.length) ? args : { text: '', bytes: args.bytes };
  }

  function overflow(): void {
    dropped += 1;
    if (overflowing || closed) return;
    overflowing = true;
    log.warn('audit rows come faster than they are written; some are dropped', { waiting: queue.waiting });
  }

  function flush(): void {
    unschedule();
    for (const batch of queue.all) write(batch);
    schedule();
  }

  return {
    callEnded(record) {
      if (queue.isFull || closed) return overflow();
      const row = { ...factsOf(record), arguments: undefined, kept: keep(record.arguments) };
      const batch = queue.add(row);
      // The first row starts the clock, the last one ends it; those between have nothing to do.
      if (batch.rows.length === 1 || isComplete(batch)) schedule();
    },
    flush,
    close() {
      flush();
      flush();
      closed = true;
      unschedule();
    },
    get waiting() {
      return queue.waiting;
    },
    get written() {
      return written;
    },
    get dropped() {
      return dropped;
    },
  };
}

const BATCH_ROWS = 500;
/** Redacting this much takes about five milliseconds, in which no call goes on. */
const BATCH_ARGUMENT_BYTES = 64 * 1024;
const MAX_WAITING_ROWS = 20_000;
const MAX_WAITING_ARGUMENT_BYTES = 16 * 1024 * 1024;

interface WaitingRow extends CallFacts {
  /** What the record will show of the arguments; absent until they are redacted. */
  arguments: string | undefined;
  /** The arguments until then. */
  kept: KeptArguments | undefined;
}

interface Batch {
  readonly rows: WaitingRow[];
  argumentBytes: number;
  failed: boolean;
}

interface AuditQueue {
  readonly first: Batch | undefined;
  readonly all: readonly Batch[];
  /** Rows in it. */
  readonly waiting: number;
  readonly isFull: boolean;
  /** Whether so many bytes of arguments may be held besides those that are. */
  hasRoomFor(argumentBytes: number): boolean;
  /** The batch that the row is in now. */
  add(row: WaitingRow): Batch;
  remove(batch: Batch): void;
}

/** Rows that wait to be written, in batches of bounded cost. */
const isComplete = ({ rows, argumentBytes }: Batch): boolean =>
  rows.length >= BATCH_ROWS || argumentBytes >= BATCH_ARGUMENT_BYTES;

function createAuditQueue(): AuditQueue {
  const batches: Batch[] = [];
  let waiting = 0;
  let argumentBytes = 0;

  function openBatch(): Batch {
    const last = batches.at(-1);
    if (last !== undefined && !last.failed && !isComplete(last)) return last;
    const batch: Batch = { rows: [], argumentBytes: 0, failed: false };
    batches.push(batch);
    return batch;
  }

  return {
    get first() {
      return batches[0];
    },
    get all() {
      return batches.slice();
    },
    get waiting() {
      return waiting;
    },
    get isFull() {
      return waiting >= MAX_WAITING_ROWS;
    },
    hasRoomFor: (bytes) => argumentBytes + bytes <= MAX_WAITING_ARGUMENT_BYTES,
    add(row) {
      const batch = openBatch();
      const bytes = row.kept?.text.length ?? 0;
      batch.rows.push(row);
      batch.argumentBytes += bytes;
      argumentBytes += bytes;
      waiting += 1;
      return batch;
    },
    remove(batch) {
      batches.splice(batches.indexOf(batch), 1);
      waiting -= batch.rows.length;
      argumentBytes -= batch.argumentBytes;
    },
  };
}
