import type { ByteText } from '../core/wire/byte-text.ts';
import { TOO_MANY_STREAMS, type Reply, type RpcFailure } from './reply.ts';
import type { Slots } from './slots.ts';
import type { StdioLine } from './stdio-line.ts';

export interface StdioReplyParts {
  readonly line: StdioLine;
  readonly slots: Slots;
  /** Whose slot or stream it is. */
  readonly holder: string;
  /** Its credential has not been revoked. */
  isValid(): boolean;
  /** The client waits for nothing more. */
  onDone(): void;
}

/** The answer to one request on a line; until it comes, it may hold a slot or a share of the streams. */
export class StdioReply implements Reply {
  readonly #parts: StdioReplyParts;
  #holding: 'slot' | 'stream' | 'pause' | 'nothing' = 'nothing';
  #isDone = false;

  constructor(parts: StdioReplyParts) {
    this.#parts = parts;
  }

  /** It may take as long as the client stays. */
  get lingers(): boolean {
    return this.#holding === 'stream';
  }

  /** It has been given a slot. */
  holdSlot(): void {
    this.#holding = 'slot';
  }

  answer(text: ByteText): void {
    if (!this.#isDone) this.#parts.line.write(text);
    this.accept();
  }

  notify(text: ByteText): void {
    if (!this.#isDone) this.#parts.line.notify(text);
  }

  ask(text: ByteText): boolean {
    return !this.#isDone && this.#parts.line.ask(text);
  }

  accept(): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#release();
    this.#parts.onDone();
  }

  linger(): RpcFailure | undefined {
    const { slots, holder } = this.#parts;
    if (!slots.streams.take(holder)) return TOO_MANY_STREAMS;
    this.#release();
    this.#holding = 'stream';
    return undefined;
  }

  pause(): void {
    const { slots, holder } = this.#parts;
    if (this.#holding === 'slot' && slots.pause(holder)) this.#holding = 'pause';
  }

  goOn(): boolean {
    const { slots, holder, isValid } = this.#parts;
    if (!isValid()) return false;
    if (this.#holding === 'pause') {
      this.#holding = 'slot';
      slots.goOn(holder);
    }
    return true;
  }

  #release(): void {
    const { slots, holder } = this.#parts;
    const held = this.#holding;
    this.#holding = 'nothing';
    if (held === 'slot') slots.release(holder);
    else if (held === 'stream') slots.streams.release(holder);
    else if (held === 'pause') slots.paused.release(holder);
  }
}
