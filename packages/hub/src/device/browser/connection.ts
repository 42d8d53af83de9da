/** Commands to the browser and their answers, as JSON messages that end with a NUL. Does no I/O itself. */
import { isRecord } from '../../lib/record.ts';
import { BrowserError } from './page.ts';

export type Params = Readonly<Record<string, unknown>>;
export type BrowserEvent = (method: string, params: Params, session: string | undefined) => void;

export interface Connection {
  /** Rejects with a BrowserError. `session`: of a page. */
  send(method: string, params?: Params, how?: { session?: string; timeoutMs?: number }): Promise<Params>;
  /** Takes bytes from the browser. */
  receive(chunk: Buffer): void;
  /** Rejects pending and later commands with `reason`. */
  end(reason: string): void;
  onEvent(listener: BrowserEvent): () => void;
  readonly isEnded: boolean;
}

export interface ConnectionParts {
  write(text: string): void;
  readonly commandMs: number;
  readonly maxAnswerBytes: number;
}

interface Waiting {
  resolve(result: Params): void;
  reject(error: BrowserError): void;
}

const NUL = 0;
/** Enough of an answer to read its id. */
const HEAD_BYTES = 64;

export function createConnection({ write, commandMs, maxAnswerBytes }: ConnectionParts): Connection {
  const waiting = new Map<number, Waiting>();
  const listeners = new Set<BrowserEvent>();
  let chunks: Buffer[] = [];
  let size = 0;
  let lastId = 0;
  let ended: string | undefined;

  /** Keeps only the beginning of a message above the limit. */
  function keep(part: Buffer): void {
    size += part.length;
    if (size <= maxAnswerBytes || chunks.length === 0) chunks.push(part);
    else if (chunks.length > 1) chunks = [Buffer.concat(chunks).subarray(0, HEAD_BYTES)];
  }

  function messageEnded(): void {
    const isWhole = size <= maxAnswerBytes;
    const bytes = Buffer.concat(chunks);
    chunks = [];
    size = 0;
    if (isWhole) return message(bytes.toString('utf8'));
    const id = Number(/^\{"id":(\d+)/.exec(bytes.subarray(0, HEAD_BYTES).toString('latin1'))?.[1]);
    waiting.get(id)?.reject(new BrowserError('refused', `The answer has more than ${maxAnswerBytes} bytes.`));
  }

  function message(text: string): void {
    const { id, method, params, result, error, sessionId } = parse(text);
    if (typeof id === 'number') {
      const each = waiting.get(id);
      if (isRecord(error)) each?.reject(new BrowserError('refused', textIn(error, 'message')));
      else each?.resolve(isRecord(result) ? result : {});
    } else if (typeof method === 'string')
      for (const listener of listeners)
        listener(
          method,
          isRecord(params) ? params : {},
          typeof sessionId === 'string' ? sessionId : undefined,
        );
  }

  return {
    send(method, params = {}, { session, timeoutMs = commandMs } = {}) {
      if (ended !== undefined) return Promise.reject(new BrowserError('gone', ended));
      const id = ++lastId;
      const { promise, resolve, reject } = Promise.withResolvers<Params>();
      const late = new BrowserError('timeout', `No answer within ${timeoutMs} ms.`);
      const timer = setTimeout(() => reject(late), timeoutMs);
      waiting.set(id, { resolve, reject });
      write(`${JSON.stringify({ id, method, params, sessionId: session })}\0`);
      return promise.finally(() => {
        clearTimeout(timer);
        waiting.delete(id);
      });
    },
    receive(chunk) {
      let from = 0;
      for (let at = chunk.indexOf(NUL); at >= 0; at = chunk.indexOf(NUL, from)) {
        keep(chunk.subarray(from, at));
        messageEnded();
        from = at + 1;
      }
      if (from < chunk.length) keep(chunk.subarray(from));
    },
    end(reason) {
      ended ??= reason;
      for (const { reject } of waiting.values()) reject(new BrowserError('gone', reason));
    },
    get isEnded() {
      return ended !== undefined;
    },
    onEvent(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** A text member. Empty if it is absent or not text. */
export function textIn(params: Params, name: string): string {
  const value = params[name];
  return typeof value === 'string' ? value : '';
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
