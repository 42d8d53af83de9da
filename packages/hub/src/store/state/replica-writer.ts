/** Keeps the replica up to date, off the way of whatever changes the state. */
import { replicaOf } from './replica.ts';
import type { StateRows } from './state-rows.ts';

/** Fifty servers that are heard for the first time are one write. */
const WRITE_AFTER_MS = 250;

export interface ReplicaWriter {
  changed(): void;
  /** Writes it now. */
  flush(): void;
  close(): void;
}

export interface ReplicaWriterParts {
  readonly rows: StateRows;
  write(text: string): void;
  onFailed(error: unknown): void;
  onWritten(): void;
}

export function createReplicaWriter({ rows, write, onFailed, onWritten }: ReplicaWriterParts): ReplicaWriter {
  let timer: NodeJS.Timeout | undefined;
  let isBehind = false;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    try {
      write(replicaOf(rows));
      isBehind = false;
      onWritten();
    } catch (error) {
      // The next change, and the end of the hub, try again.
      isBehind = true;
      onFailed(error);
    }
  }

  return {
    changed() {
      isBehind = true;
      timer ??= setTimeout(flush, WRITE_AFTER_MS).unref();
    },
    flush,
    close() {
      if (isBehind) flush();
      clearTimeout(timer);
    },
  };
}
