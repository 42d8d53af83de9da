/** One open bridge: reads the frames of its app, and sends calls to it. */
import { ShortLivedMap } from '../../lib/short-lived-map.ts';
import { PincerError } from '../../core/errors.ts';
import type { Limits } from '../../core/limits.ts';
import type { ByteText } from '../../core/wire/byte-text.ts';
import type { Lease, Session } from '../directory/session-directory.ts';
import { createChunks, isLonger, toChunks, type ByteBudget, type Chunks } from '../frames/chunks.ts';
import {
  isFault,
  type AppFrame,
  type ChunkFrame,
  type FrameFault,
  type HelloFrame,
} from '../frames/frame.ts';
import { readFrame } from '../frames/read-frame.ts';
import { cancelText, errorText, replacedText, welcomeText } from '../frames/write-frame.ts';
import type { Carrier, Invocation } from './invocation.ts';
import { argumentsTooLarge, unreadCalls } from '../refusals.ts';
import { CLOSE, type BridgeSocket } from '../../core/app-bridge.ts';

type LinkLimits = ToolChangeLimits &
  Pick<Limits, 'maxFrameBytes' | 'maxJoinedBytes' | 'frameChunkBytes' | 'maxUnsentToAppBytes'>;

/** What a connection needs from the registry of bridges. */
export interface BridgeHost {
  /** The budget for unfinished chunks of all bridges together. */
  readonly unfinished: ByteBudget;
  readonly limits: LinkLimits;
  now(): number;
  /** Sends the call again. Returns false if that is not safe. */
  repeat(call: Invocation): boolean;
  /** Reports an internal failure. */
  onFailed(error: unknown): void;
  /** Resolves when the hello of the app is recorded. */
  onHello(connection: BridgeConnection): Promise<void>;
  /** Throws or rejects if the tools are invalid. */
  onTools(connection: BridgeConnection, tools: ByteText): Promise<unknown>;
}

interface LinkParts {
  readonly lease: Lease;
  readonly socket: BridgeSocket;
}

const VERSION = 1;
const PONG = '{"type":"pong"}';
/** Features that the proxy supports. */
const FEATURES: readonly string[] = ['progress', 'cancel', 'chunks', 'tools_changed', 'media'];

export class BridgeConnection implements Carrier {
  /** The right to act for the session. It becomes stale when another bridge connects. */
  readonly lease: Lease;
  readonly openedAt: number;
  /** When the last frame arrived. */
  heardAt: number;
  /** It is closed, or is treated as closed. */
  hasGone = false;
  readonly #socket: BridgeSocket;
  readonly #host: BridgeHost;
  readonly #calls = new ShortLivedMap<string, Invocation>();
  #features: ReadonlySet<string> | undefined;
  #chunks: Chunks | undefined;
  #changes: ToolChanges | undefined;
  /** Frames that wait until the hello is recorded: the welcome, then later ones. */
  #held: string[] | undefined;

  constructor(host: BridgeHost, { lease, socket }: LinkParts) {
    this.#host = host;
    this.#socket = socket;
    this.lease = lease;
    this.openedAt = host.now();
    this.heardAt = this.openedAt;
  }

  get session(): Session {
    return this.lease.session;
  }

  get isRich(): boolean {
    return this.#features !== undefined;
  }

  get isOpen(): boolean {
    return this.#socket.isOpen;
  }

  /** Calls that the app has not answered. */
  get unanswered(): number {
    return this.#calls.size;
  }

  /** Sends a call, or settles it as not executed. */
  invoke(call: Invocation): void {
    const { limits } = this.#host;
    if (this.#socket.unsentBytes > limits.maxUnsentToAppBytes) return call.refuse(unreadCalls());
    const { text } = call;
    const most = this.#has('chunks') ? limits.maxJoinedBytes : limits.maxFrameBytes;
    if (isLonger(text, most)) return call.refuse(argumentsTooLarge(most));
    this.#calls.set(call.id, call);
    call.sentOver(this);
    const pieces = this.#has('chunks') ? toChunks(text, limits.frameChunkBytes, call.id) : [text];
    for (const piece of pieces) this.#socket.send(piece);
  }

  drop(requestId: string, reason: string): void {
    this.#calls.delete(requestId);
    if (this.#has('cancel')) this.#sendOrQueue(cancelText({ sessionId: this.session.id, requestId, reason }));
  }

  /** Handles a frame. No frame of the app closes the bridge; an internal failure does. */
  hear(text: string): void {
    // A connection that was replaced or closed no longer speaks for the session.
    if (!this.isOpen) return;
    this.heardAt = this.#host.now();
    // Ten thousand pongs may arrive together, and they carry nothing else.
    if (text === PONG) return;
    this.#guard(() => this.#take(readFrame(text, { limits: this.#host.limits })));
  }

  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#host.onFailed(error);
    this.close(CLOSE.failed, 'the proxy failed');
  }

  ping(): void {
    if (this.#canSend()) this.#socket.ping();
  }

  /** Another bridge of the session has connected. */
  replace(): void {
    // Not held back: the socket closes right after.
    if (this.isRich) this.#send(replacedText());
    this.close(CLOSE.replaced, 'replaced by another connection');
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
    this.lose();
  }

  /** The bridge is lost, and with it the open answers. */
  lose(): void {
    this.#chunks?.clear();
    this.#chunks = undefined;
    const calls = [...this.#calls.values()];
    this.#calls.clear();
    this.#changes?.end();
    this.#changes = undefined;
    for (const call of calls) if (!this.#host.repeat(call)) call.lose();
  }

  #has(feature: string): boolean {
    return this.#features?.has(feature) === true;
  }

  /** Sends a frame, or queues it until the hello is recorded. */
  #sendOrQueue(text: string): void {
    if (this.#held === undefined) this.#send(text);
    else this.#held.push(text);
  }

  #send(text: string): void {
    if (this.#canSend()) this.#socket.send(text);
  }

  /** Closes the bridge and returns false if the app does not read. */
  #canSend(): boolean {
    if (this.#socket.unsentBytes <= this.#host.limits.maxUnsentToAppBytes) return true;
    this.close(CLOSE.tooSlow, 'the app does not read its messages');
    return false;
  }

  #reportFault(fault: FrameFault): void {
    if (fault.isAnswer === true && fault.requestId !== undefined)
      this.#takeCall(fault.requestId)?.failUnreadable(fault.message);
    this.#sendOrQueue(errorText(fault));
  }

  /** Removes and returns an open call. */
  #takeCall(requestId: string): Invocation | undefined {
    const call = this.#calls.get(requestId);
    this.#calls.delete(requestId);
    return call;
  }

  #take(frame: AppFrame | FrameFault): void {
    if (isFault(frame)) return this.#reportFault(frame);
    if (frame.mcpSessionId !== undefined && frame.mcpSessionId !== this.session.id)
      return this.#reportFault(FOREIGN_SESSION);
    switch (frame.type) {
      case 'invoke_result':
        // An answer to a call that has already ended, for example by a timeout, is not a fault of the app.
        return this.#takeCall(frame.requestId)?.answer(frame);
      case 'pong':
        return;
      case 'hello':
        return this.#greet(frame);
      case 'progress':
      case 'tools_changed':
      case 'chunk':
        return this.isRich ? this.#takeRich(frame) : this.#reportFault(HELLO_FIRST);
    }
  }

  #takeRich(frame: Exclude<AppFrame, { type: 'invoke_result' | 'pong' | 'hello' }>): void {
    if (frame.type === 'progress') return this.#calls.get(frame.requestId)?.progress(frame);
    if (frame.type === 'chunk') return this.#join(frame);
    this.#changes ??= createToolChanges(this.#host.limits, (tools) => this.#guard(() => this.#change(tools)));
    this.#changes.take(frame.tools);
  }

  #change(tools: ByteText): void {
    const refuse = (error: unknown): void => {
      // A replaced or closed connection gets no more frames.
      if (!this.isOpen) return;
      const { message, hint } = PincerError.from(error);
      this.#reportFault({
        code: 'tools_invalid',
        message: hint === undefined ? message : `${message} ${hint}`,
      });
    };
    try {
      this.#host.onTools(this, tools).catch((error: unknown) => this.#guard(() => refuse(error)));
    } catch (error) {
      refuse(error);
    }
  }

  #greet({ features }: HelloFrame): void {
    const both = FEATURES.filter((feature) => features.includes(feature));
    this.#features = new Set(both);
    const welcome = welcomeText({
      sessionId: this.session.id,
      epoch: this.lease.epoch,
      version: VERSION,
      features: both,
      chunkBytes: this.#host.limits.frameChunkBytes,
    });
    if (this.#held !== undefined) return void this.#held.push(welcome);
    this.#held = [welcome];
    this.#host.onHello(this).then(
      () => this.#guard(() => this.#sendHeld()),
      (error: unknown) => this.#fail(error),
    );
  }

  #sendHeld(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const text of held) if (this.isOpen) this.#send(text);
  }

  #join(chunk: ChunkFrame): void {
    this.#chunks ??= createChunks(this.#host.limits, this.#host.unfinished);
    const joined = this.#chunks.add(chunk);
    if (joined === undefined) return;
    this.#take(
      'text' in joined ? readFrame(joined.text, { isJoined: true, limits: this.#host.limits }) : joined,
    );
  }
}

const FOREIGN_SESSION: FrameFault = {
  code: 'frame_foreign_session',
  message: '"mcpSessionId" is not the session of this bridge. The frame had no effect.',
};

const HELLO_FIRST: FrameFault = {
  code: 'frame_before_hello',
  message: 'Send a "hello" before frames of this type.',
};

/** Throttles tool lists: each one is written to disk, which blocks the process. */
interface ToolChanges {
  take(tools: ByteText): void;
  /** Applies the latest list if it is still waiting. */
  end(): void;
}

type ToolChangeLimits = Pick<Limits, 'toolChangesAtOnce' | 'toolChangesPauseMs'>;

function createToolChanges(
  { toolChangesAtOnce, toolChangesPauseMs }: ToolChangeLimits,
  apply: (tools: ByteText) => void,
): ToolChanges {
  let left = toolChangesAtOnce;
  let latest: ByteText | undefined;
  let timer: NodeJS.Timeout | undefined;

  function applyLatest(): boolean {
    if (latest === undefined) return false;
    const tools = latest;
    latest = undefined;
    apply(tools);
    return true;
  }

  const wait = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      if (applyLatest()) wait();
      else left = toolChangesAtOnce;
    }, toolChangesPauseMs).unref();
  };

  return {
    take(tools) {
      latest = tools;
      wait();
      if (left === 0) return;
      left--;
      applyLatest();
    },
    end() {
      clearTimeout(timer);
      applyLatest();
    },
  };
}
