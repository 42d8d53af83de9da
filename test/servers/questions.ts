import type { Connection } from './connection.ts';
import type { Inbound } from './inbound.ts';
import type { JsonObject } from './json.ts';

interface Question {
  method: string;
  params: JsonObject;
  send: (message: string) => void;
  /** Aborted when the call that needs the answer is cancelled. */
  signal: AbortSignal;
}

/** Questions to legacy clients. Every connection counts its ids from 1, as in most servers. */
export class QuestionTable {
  readonly #asked = new WeakMap<Connection, number>();
  readonly #open = new Map<string, (answer: JsonObject) => void>();

  ask(connection: Connection, { method, params, send, signal }: Question): Promise<JsonObject> {
    const id = (this.#asked.get(connection) ?? 0) + 1;
    this.#asked.set(connection, id);
    const key = `${connection.key} ${id}`;
    return new Promise((resolve, reject) => {
      this.#open.set(key, resolve);
      signal.addEventListener('abort', () => reject(new Error('the call was cancelled')));
      send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    });
  }

  settle(connection: Connection, { rawId, answer }: Inbound): void {
    const key = `${connection.key} ${rawId}`;
    this.#open.get(key)?.(answer);
    this.#open.delete(key);
  }
}
