/** Rows that wait to be written, in batches of bounded cost. */
import type { CallFacts } from '../core/ports.ts';
import type { KeptArguments } from './kept-arguments.ts';

const BATCH_ROWS = 500;
/** Redacting this much takes about five milliseconds, in which no call goes on. */
const BATCH_ARGUMENT_BYTES = 64 * 1024;
const MAX_WAITING_ROWS = 20_000;
const MAX_WAITING_ARGUMENT_BYTES = 16 * 1024 * 1024;

export interface WaitingRow extends CallFacts {
  /** What the record will show of the arguments; absent until they are redacted. */
  arguments: string | undefined;
  /** The arguments until then. */
  kept: KeptArguments | undefined;
}

export interface Batch {
  readonly rows: WaitingRow[];
  argumentBytes: number;
  failed: boolean;
}

export interface AuditQueue {
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

export const isComplete = ({ rows, argumentBytes }: Batch): boolean =>
  rows.length >= BATCH_ROWS || argumentBytes >= BATCH_ARGUMENT_BYTES;

export function createAuditQueue(): AuditQueue {
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
