import { PincerError } from '../../core/errors.ts';
import type { Message } from '../../core/wire/message.ts';

/** Requests that Pincer makes for itself (initialize, tools/list) and that await an answer. */
export class OwnRequests {
  readonly #server: string;
  readonly #waiting = new Map<string, (answer: Message | PincerError) => void>();

  constructor(server: string) {
    this.#server = server;
  }

  /** Resolves with the answer, a JSON-RPC error included. `onTimeout` lets the wire forget the request. */
  await(id: string, method: string, timeoutMs: number, onTimeout: () => void): Promise<Message> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        onTimeout();
        const message = `Server "${this.#server}" did not answer "${method}" within ${timeoutMs} ms.`;
        this.settle(id, new PincerError('CALL_TIMEOUT', message));
      }, timeoutMs);
      this.#waiting.set(id, (answer) => {
        clearTimeout(timer);
        if (PincerError.is(answer)) reject(answer);
        else resolve(answer);
      });
    });
  }

  settle(id: string, answer: Message | PincerError): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    waiting?.(answer);
  }

  failAll(reason: PincerError): void {
    for (const id of this.#waiting.keys()) this.settle(id, reason);
  }
}
