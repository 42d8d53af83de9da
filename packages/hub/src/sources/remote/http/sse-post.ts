import type { Dispatcher } from 'undici';
import { PincerError } from '../../../core/errors.ts';
import {
  failureOfStatus,
  failureOfTransport,
  type HttpFailure,
  type HttpHead,
  type HttpPeer,
} from './http-failure.ts';

/** One POST of the HTTP+SSE transport of 2024-11-05: it is taken or refused here, and answered elsewhere. */
export class SsePost implements Dispatcher.DispatchHandler {
  readonly #peer: HttpPeer;
  readonly #onEnd: (failure: HttpFailure | undefined) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #head: HttpHead | undefined;
  #wasSent = false;
  #isOver = false;

  /** `onEnd` once, unless it was aborted; undefined: the server has taken it. */
  constructor(peer: HttpPeer, onEnd: (failure: HttpFailure | undefined) => void) {
    this.#peer = peer;
    this.#onEnd = onEnd;
  }

  abort(): void {
    this.#isOver = true;
    this.#controller?.abort(new PincerError('CALL_CANCELLED', 'No longer awaited.'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isOver) this.abort();
    else this.#wasSent = true;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.#head = { status, headers };
  }

  onResponseData(): void {
    // "Accepted", or a few words about why not.
  }

  onResponseEnd(): void {
    const { status } = this.#head!;
    // Only the stream tells whether the session is alive: 400 is about the message alone.
    if (status >= 200 && status < 300) this.#end(undefined);
    else this.#end(failureOfStatus(this.#peer, this.#head!, { hadSession: status === 404 }));
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    // It had been taken when the rest of the response was lost.
    if (this.#head !== undefined) this.onResponseEnd();
    else this.#end(failureOfTransport(this.#peer.server, error, this.#wasSent));
  }

  #end(failure: HttpFailure | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onEnd(failure);
  }
}
