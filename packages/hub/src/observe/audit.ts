import type { CallRecord, Log, Observer, StoredCall, CallFacts } from '../core/ports.ts';
import { detached, type ByteText } from '../core/wire/byte-text.ts';
import { isEscaped } from '../core/wire/members.ts';

const FLUSH_AFTER_MS = 100;

export interface AuditOptions {
  /** Writes one batch, completely or not at all; may throw. */
  readonly append: (rows: readonly StoredCall[]) => void;
  readonly log: Log;
  /** How arguments are kept; absent if they are not. */
  readonly arguments?: { readonly redact: Redact; readonly maxBytes: number } | undefined;
}

export interface Audit extends Observer {
  /** Writes the queued rows now. */
  flush(): void;
  /** Writes the queued rows, with a retry. Later rows count as dropped. */
  close(): void;
  /** Rows in the queue. */
  readonly waiting: number;
  readonly written: number;
  /** Rows that were never written. */
  readonly dropped: number;
}

/** Queues the rows of finished calls and writes them in batches, off the path of the calls. Redacts arguments on writing. */
export function createAudit({ append, log, arguments: kept }: AuditOptions): Audit {
  const queue = createAuditQueue();
  let written = 0;
  let dropped = 0;
  let overflowing = false;
  let failing = false;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let immediate: NodeJS.Immediate | undefined;

  /** One batch per turn of the event loop, so that a backlog does not delay calls. A failed batch waits. */
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
      // Logged once until a write succeeds again. The metrics have the count.
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
    log.warn('audit rows arrive faster than they can be written; some are dropped', {
      waiting: queue.waiting,
    });
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
      // Only the first and the last row of a batch have to schedule its write.
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
/** Redacting this much blocks the event loop for about five milliseconds. */
const BATCH_ARGUMENT_BYTES = 64 * 1024;
const MAX_WAITING_ROWS = 20_000;
const MAX_WAITING_ARGUMENT_BYTES = 16 * 1024 * 1024;

interface WaitingRow extends CallFacts {
  /** The redacted arguments for the record; undefined until they are redacted. */
  arguments: string | undefined;
  /** The original arguments until then. */
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
  /** Number of queued rows. */
  readonly waiting: number;
  readonly isFull: boolean;
  /** Whether this many more bytes of arguments may be held. */
  hasRoomFor(argumentBytes: number): boolean;
  /** Returns the batch that now holds the row. */
  add(row: WaitingRow): Batch;
  remove(batch: Batch): void;
}

/** A batch is limited in rows and in cost. */
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

/** A resource's name is its URI, which may be as long as a message. The beginning is enough to recognize it. */
const MAX_NAME = 512;

/** Copies member by member, so that nothing else of the record, such as parts of its message, is kept alive. */
export const factsOf = (record: CallRecord): CallFacts => ({
  at: record.at,
  caller: record.caller,
  surface: record.surface,
  server: record.server,
  method: record.method,
  tool: record.tool.length > MAX_NAME ? beginningOf(record.tool) : record.tool,
  outcome: record.outcome,
  code: record.code,
  durationMs: record.durationMs,
  session: record.session,
  argumentBytes: record.argumentBytes ?? record.arguments?.length,
  answerBytes: record.answerBytes,
});

/** A separate copy: a slice would keep the whole string alive. */
const beginningOf = (name: string): string => Buffer.from(name.slice(0, MAX_NAME), 'utf8').toString('utf8');

/** The arguments that the audit holds until they are written. */
interface KeptArguments {
  /** A separate copy: the message it came in may be large. */
  readonly text: ByteText;
  /** Their original size. Larger than the text if that was cut or left out. */
  readonly bytes: number;
}

/** Redaction and escapes can shorten the text, so more is kept than can be written. */
const KEPT_PER_WRITTEN = 4;

/** Keeps somewhat more than can be written. `maxBytes` limits the redacted text. */
export function keepArguments(raw: ByteText, maxBytes: number): KeptArguments {
  const most = maxBytes * KEPT_PER_WRITTEN;
  return { text: detached(raw.length > most ? raw.slice(0, most) : raw), bytes: raw.length };
}

type Redact = (raw: ByteText, maxBytes: number) => string;

/** The text for the record. Shows nothing if the redaction fails. */
export function writeArguments({ text, bytes }: KeptArguments, redact: Redact, maxBytes: number): string {
  if (text === '') return `[${bytes} bytes, too much queued]`;
  const isCut = text.length < bytes;
  try {
    const shown = redact(isCut ? closeCut(text) : text, maxBytes);
    return isCut ? `${shown} … ${bytes} bytes in all` : shown;
  } catch {
    return `[${bytes} bytes that could not be redacted]`;
  }
}

/** An unfinished object or array. */
interface Open {
  readonly closer: '}' | ']';
  /** Positions of its members named `value`. */
  readonly values: { readonly from: number; readonly to: number }[];
}

const NEXT = /[\s,\]}]/g;
const VALUE_KEY = /^"value"$/i;

/**
 * Closes truncated JSON: returns its beginning as valid JSON. An incomplete value must not be redacted, because half a
 * token no longer looks like one, so the last incomplete value is left out with its key. So is a `value` member of an
 * incomplete object: a later `name` might say that it is a password.
 */
export function closeCut(text: ByteText): ByteText {
  const open: Open[] = [];
  let end = 0;
  let depth = 0;
  let isKey = false;
  let isNamedLater = false;
  let at = 0;
  const isWholeUpTo = (place: number): void => {
    end = place;
    depth = open.length;
  };

  while (at < text.length) {
    const from = at;
    const char = text[at]!;
    if (char === '{' || char === '[') {
      open.push({ closer: char === '{' ? '}' : ']', values: [] });
      isKey = char === '{';
      isNamedLater = false;
      isWholeUpTo(++at);
    } else if (char === '}' || char === ']') {
      open.pop();
      isWholeUpTo(++at);
    } else if (char === ',' || char === ':') {
      isKey = char === ',' && open.at(-1)?.closer === '}';
      at++;
    } else if (/\s/.test(char)) at++;
    else {
      at = char === '"' ? afterString(text, at) : afterPlainValue(text, at);
      if (at === 0) break;
      if (isKey) isNamedLater = isValueKey(text.slice(from, at));
      else {
        if (isNamedLater) open.at(-1)?.values.push({ from, to: at });
        isNamedLater = false;
        isWholeUpTo(at);
      }
    }
  }
  return end === 0 ? 'null' : closed(text.slice(0, end), open.slice(0, depth));
}

function closed(text: ByteText, open: readonly Open[]): ByteText {
  let out = '';
  let at = 0;
  for (const { from, to } of open.flatMap(({ values }) => values)) {
    out += `${text.slice(at, from)}"[cut]"`;
    at = to;
  }
  const closers = open.map(({ closer }) => closer).reverse();
  return out + text.slice(at) + closers.join('');
}

const isValueKey = (raw: ByteText): boolean =>
  VALUE_KEY.test(raw.includes('\\') ? `"${String(JSON.parse(raw))}"` : raw);

/** Returns zero if it does not end within the text. */
function afterString(text: ByteText, at: number): number {
  let close = text.indexOf('"', at + 1);
  while (close !== -1 && isEscaped(text, close)) close = text.indexOf('"', close + 1);
  return close + 1;
}

/** Returns zero at the very end: a number there may have had more digits. */
function afterPlainValue(text: ByteText, at: number): number {
  NEXT.lastIndex = at;
  return NEXT.exec(text)?.index ?? 0;
}
