/** A wire to one server: a child's pipes, or HTTP. It frames, counts and limits bytes and knows no method. */
import type { PincerError } from '../core/errors.ts';
import type { ByteText } from '../core/wire/byte-text.ts';
import type { Message } from '../core/wire/message.ts';

/** What a wire may need to know of a message besides its bytes. */
export interface Outgoing {
  /** Our id, for a request that awaits an answer. */
  readonly id: string | undefined;
  readonly method: string;
  /** `params.name` or `params.uri`, which the modern era repeats in a header. */
  readonly name: string | undefined;
  /** Arguments that the modern era repeats in headers, by header name. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface Wire {
  /** Of the process behind it, where there is one. */
  readonly pid?: number;
  /** The id of the session, where the server has given one. */
  readonly session?: string | undefined;
  /** More may be sent; where false, `onDrain` tells when. */
  readonly isReady: boolean;
  send(message: ByteText, about: Outgoing): void;
  /** The answer to this request is no longer awaited. True: the server learns of it by that. */
  forget(id: string): boolean;
  /** The protocol version from here on, where one is settled; HTTP puts it into headers. */
  speak(version: string | undefined): void;
  /** The handshake of the legacy era is done: a server may want to say something outside of calls. */
  listen(): void;
  close(): Promise<void>;
}

export interface WireEvents {
  /** `via`: our id of the request on whose stream it came; undefined where the wire cannot tell. */
  onMessage(message: Message, via: string | undefined): void;
  /** This request gets no answer. `wasSent`: the server may have acted on it. */
  onRequestLost(id: string, wasSent: boolean, reason: PincerError): void;
  /** The server has forgotten the session, or may have: what is under way may still end, nothing new should begin. */
  onSessionEnded(reason: PincerError): void;
  /** The wire is gone, and whatever was under way with it. Once. */
  onClosed(reason: PincerError): void;
  onDrain(): void;
}

export type OpenWire = (events: WireEvents) => Wire;
