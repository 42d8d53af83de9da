import { PincerError } from '../../core/errors.ts';
import type { Message } from '../../core/wire/message.ts';

/** Requests that Pincer makes for itself (initialize, tools/list) and that await an answer. */
export class OwnRequests {
  readonly #server: string;
  readonly #waiting = new Map<string, (answer: Message | PincerError) => void>();

  constructor(server: string) {
    this.#server = server;
  }

  /** Resolves with the answer, a JSON-RPC error included; without a timeout it may last. `onTimeout` lets the wire forget the request. */
  await(id: string, method: string, timeoutMs: number | undefined, onTimeout: () => void): Promise<Message> {
    return new Promise((resolve, reject) => {
      const expire = (): void => {
        onTimeout();
        const message = `Server "${this.#server}" did not answer "${method}" within ${timeoutMs} ms.`;
        this.settle(id, new PincerError('CALL_TIMEOUT', message));
      };
      const timer = timeoutMs === undefined ? undefined : setTimeout(expire, timeoutMs);
      this.#waiting.set(id, (answer) => {
        clearTimeout(timer);
        if (PincerError.is(answer)) reject(answer);
        else resolve(answer);
      });
    });
  }

  /** False: nobody waits for it. */
  settle(id: string, answer: Message | PincerError): boolean {
    const waiting = this.#waiting.get(id);
    waiting?.(answer);
    return this.#waiting.delete(id);
  }

  failAll(reason: PincerError): void {
    for (const id of this.#waiting.keys()) this.settle(id, reason);
  }
}
