/**
 * A second copy of the most important part of state.sqlite: credentials and the digests of pins. It shows that the
 * database was deleted, truncated or replaced by an older one, and restores the missing rows.
 */
import { readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import type { PinDoubt, StoredPin } from '../../core/ports.ts';
import { type Change, drop, put } from '../rows/table.ts';
import { generationOf, type StateRows } from './state-rows.ts';

/** Limits the size of the file, even if a server keeps inventing names. */
const MAX_TOOLS = 5_000;

const replicaSchema = z.object({
  version: z.literal(1),
  generation: z.int().min(0),
  credentials: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      tokenHash: z.string(),
      scopes: z.record(z.string(), z.unknown()),
      createdAt: z.int(),
    }),
  ),
  pins: z.array(
    z.object({
      server: z.string(),
      origin: z.string(),
      /** Each with its digest. */
      tools: z.array(z.tuple([z.string(), z.string()])),
    }),
  ),
});

export type Replica = z.infer<typeof replicaSchema>;

/** Returns undefined if there is no file, `damaged` if it cannot be read. */
export function readReplica(path: string): Replica | 'damaged' | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT' ? undefined : 'damaged';
  }
  try {
    const { sum, content } = JSON.parse(text) as { sum: unknown; content: unknown };
    return sum === crc32(JSON.stringify(content)) ? replicaSchema.parse(content) : 'damaged';
  } catch {
    return 'damaged';
  }
}

function replicaOf(rows: StateRows): string {
  const origins = Map.groupBy(rows.pins.all(), ({ server, origin }) => JSON.stringify([server, origin]));
  const replica: Replica = {
    version: 1,
    generation: generationOf(rows),
    credentials: rows.credentials.all().map((each) => ({ ...each, scopes: { ...each.scopes } })),
    pins: [...origins.values()].map((pins) => ({
      server: pins[0]!.server,
      origin: pins[0]!.origin,
      tools: pins.slice(0, MAX_TOOLS).map(({ tool, digest }) => [tool, digest]),
    })),
  };
  const content = JSON.stringify(replica);
  return `{"sum":${crc32(content)},"content":${content}}\n`;
}

export interface Recovery {
  readonly changes: readonly Change[];
  /** Pins and credentials that the database lacked. */
  readonly pins: number;
  readonly credentials: number;
}

/** Returns the changes that bring an older or damaged database up to the replica. */
export function recoverFrom(replica: Replica, rows: StateRows, now: number): Recovery {
  const known = new Set(replica.credentials.map(({ id }) => id));
  const revoked = rows.credentials.all().filter(({ id }) => !known.has(id));
  const credentials = replica.credentials.filter(
    (each) => JSON.stringify(rows.credentials.get(each.id)) !== JSON.stringify(each),
  );
  const pins = replica.pins.flatMap(({ server, origin, tools }) =>
    tools
      .filter(([tool, digest]) => rows.pins.get(server, origin, tool)?.digest !== digest)
      // Without the definition, which is only for display: the next review adds it.
      .map(([tool, digest]): StoredPin => ({
        server,
        origin,
        tool,
        digest,
        definition: '',
        acceptedAt: now,
      })),
  );
  const changes = [
    ...revoked.map(({ id }) => drop(rows.credentials, id)),
    ...credentials.map((each) => put(rows.credentials, each)),
    ...pins.map((each) => put(rows.pins, each)),
    put(rows.counters, { name: 'generation', value: Math.max(replica.generation, generationOf(rows)) }),
  ];
  return { changes, pins: pins.length, credentials: credentials.length };
}

/** Returns the servers whose pins may be incomplete: their tools without a pin are held. */
export const doubtsOf = (replica: Replica): PinDoubt[] =>
  replica.pins.map(({ server, origin }) => ({ server, origin }));

/** Gathers changes: fifty servers that connect for the first time cause one write. */
const WRITE_AFTER_MS = 250;

interface ReplicaWriter {
  changed(): void;
  /** Writes it now. */
  flush(): void;
  close(): void;
}

interface ReplicaWriterParts {
  readonly rows: StateRows;
  write(text: string): void;
  onFailed(error: unknown): void;
  onWritten(): void;
}

/** Keeps the replica up to date without delaying changes of the state. */
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
