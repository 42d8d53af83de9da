/** A wire to one server: a child's pipes, or HTTP. It frames, counts and limits bytes and knows no method. */
import type { PincerError } from '../core/errors.ts';
import type { ByteText } from '../core/wire/byte-text.ts';
import type { Message } from '../core/wire/message.ts';

/** What a wire needs to know about a message besides its bytes. */
export interface Outgoing {
  /** The hub's id, for a request that expects an answer. */
  readonly id: string | undefined;
  readonly method: string;
  /** `params.name` or `params.uri`, which the modern era repeats in a header. */
  readonly name: string | undefined;
  /** Arguments that the modern era repeats in headers, by header name. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface Wire {
  /** Process id, if there is a process. */
  readonly pid?: number;
  /** Session id, if the server issued one. */
  readonly session?: string | undefined;
  /** Whether more may be sent; if false, wait for `onDrain`. */
  readonly isReady: boolean;
  send(message: ByteText, about: Outgoing): void;
  /** Drops a pending request. Returns true if the server thereby learns of the cancellation. */
  forget(id: string): boolean;
  /** Sets the negotiated protocol version, which HTTP sends in headers. */
  speak(version: string | undefined): void;
  /** Called after a legacy handshake: opens the stream for messages outside of calls. */
  listen(): void;
  close(): Promise<void>;
}

export interface WireEvents {
  /** `via` is the id of the request on whose stream the message came; undefined if the wire cannot tell. */
  onMessage(message: Message, via: string | undefined): void;
  /** The request gets no answer. With `wasSent`, the server may have acted on it. */
  onRequestLost(id: string, wasSent: boolean, reason: PincerError): void;
  /** The server may have lost the session: calls under way may still end, no new ones should begin. */
  onSessionEnded(reason: PincerError): void;
  /** The wire and everything on it is lost. Called once. */
  onClosed(reason: PincerError): void;
  onDrain(): void;
}

export type OpenWire = (events: WireEvents) => Wire;
