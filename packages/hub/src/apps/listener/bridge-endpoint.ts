/** `WS /v1/chat/sessions/{id}/bridge`: accepts the WebSocket of an app and connects it to its session. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import {
  CLOSE,
  PING_TEXT,
  type BridgeRefusal,
  type BridgeSocket,
  type OpenBridge,
  type Visitor,
} from '../../core/app-bridge.ts';
import { BRIDGE_PROTOCOL } from './keys.ts';

export interface BridgeEndpointParts {
  readonly maxFrameBytes: number;
  /** Returns a bridge, or why the socket is closed again. */
  connect(key: Visitor, id: string, wire: BridgeSocket): Promise<OpenBridge | BridgeRefusal>;
  onFailed(error: unknown): void;
}

export interface BridgeEndpoint {
  /** If `key` is undefined, accepts the socket only to close it with 4401. */
  open(upgrade: Upgrade, key: Visitor | undefined, id: string): void;
  close(): void;
}

export interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

const UNAUTHORIZED: BridgeRefusal = {
  code: CLOSE.unauthorized,
  reason: 'invalid app token',
  why: 'TOKEN_INVALID',
};
/** How long an app may take to answer a close frame. */
const CLOSE_TIMEOUT_MS = 2_000;
const MAX_REASON_BYTES = 123;
/** A socket without a valid token may send a close frame, and nothing larger. */
const MAX_CLOSE_BYTES = 125;

export function createBridgeEndpoint({
  maxFrameBytes,
  connect,
  onFailed,
}: BridgeEndpointParts): BridgeEndpoint {
  const server = handshake(maxFrameBytes);
  const unauthorized = handshake(MAX_CLOSE_BYTES);
  const open = new Set<WebSocket>();

  // oxlint-disable-next-line max-params -- a connection, its visitor and its session
  function accept(socket: WebSocket, raw: Duplex, key: Visitor | undefined, id: string): void {
    open.add(socket);
    socket.on('error', () => undefined);
    answerPings(socket);
    socket.on('close', () => open.delete(socket));
    if (key === undefined) return endWith(socket, UNAUTHORIZED.code, UNAUTHORIZED.reason);
    // Frames that arrive before the lease is granted wait in the socket.
    socket.pause();
    connect(key, id, wireOf(socket, raw))
      .then((bridge) => attach(socket, bridge))
      .catch((error: unknown) => {
        onFailed(error);
        endWith(socket, CLOSE.failed, 'the proxy failed');
      })
      .finally(() => socket.resume());
  }

  function attach(socket: WebSocket, bridge: OpenBridge | BridgeRefusal): void {
    if ('code' in bridge) return endWith(socket, bridge.code, bridge.reason);
    // The app may have disconnected meanwhile.
    if (socket.readyState === socket.CLOSED) return bridge.closed();
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (isBinary) endWith(socket, CLOSE.noText, 'frames are text');
      else bridge.hear(data.toString('utf8'));
    });
    socket.on('close', () => bridge.closed());
  }

  return {
    open: ({ request, socket, head }, key, id) =>
      (key === undefined ? unauthorized : server).handleUpgrade(request, socket, head, (opened) =>
        accept(opened, socket, key, id),
      ),
    close() {
      for (const socket of open) socket.terminate();
    },
  };
}

const handshake = (maxPayload: number): WebSocketServer =>
  new WebSocketServer({
    noServer: true,
    clientTracking: false,
    // A compressor takes more memory than the rest of a bridge.
    perMessageDeflate: false,
    autoPong: false,
    maxPayload,
    handleProtocols: (offered) => (offered.has(BRIDGE_PROTOCOL) ? BRIDGE_PROTOCOL : false),
  });

/** RFC 6455, 5.2: a whole unmasked text of at most 125 bytes. Created once, because ten thousand bridges are pinged together. */
const PING_FRAME = Buffer.concat([Buffer.from([0x81, PING_TEXT.length]), Buffer.from(PING_TEXT)]);

/** Sockets that are corked until the end of this turn of the event loop. */
let held: Duplex[] = [];

function release(): void {
  const sockets = held;
  held = [];
  for (const raw of sockets) raw.uncork();
}

/** Combines the frames of one turn of the event loop into one write: system calls are the largest cost of a call. */
function hold(raw: Duplex): void {
  if (raw.writableCorked > 0) return;
  raw.cork();
  if (held.push(raw) === 1) setImmediate(release);
}

const wireOf = (socket: WebSocket, raw: Duplex): BridgeSocket => ({
  send(text) {
    hold(raw);
    socket.send(text, ignored);
  },
  ping() {
    // RFC 6455, 5.5.1: nothing is sent after a close frame.
    if (socket.readyState === socket.OPEN) raw.write(PING_FRAME);
  },
  get isOpen() {
    return socket.readyState === socket.OPEN;
  },
  get unsentBytes() {
    return socket.bufferedAmount;
  },
  close: (code, reason) => endWith(socket, code, reason),
});

/** Sends one pong at a time, for the latest ping (RFC 6455, 5.5.3): a peer that does not read would fill the memory. */
function answerPings(socket: WebSocket): void {
  let isAnswering = false;
  let latest: Buffer | undefined;
  const answer = (data: Buffer): void => {
    isAnswering = true;
    socket.pong(data, false, () => {
      isAnswering = false;
      const next = latest;
      latest = undefined;
      if (next !== undefined) answer(next);
    });
  };
  socket.on('ping', (data: Buffer) => {
    if (isAnswering) latest = data;
    else answer(data);
  });
}

/** A frame to a closed socket is lost; its call is settled when the socket closes. */
const ignored = (): void => undefined;

function endWith(socket: WebSocket, code: number, reason: string): void {
  socket.close(code, Buffer.from(reason).subarray(0, MAX_REASON_BYTES).toString());
  setTimeout(() => socket.terminate(), CLOSE_TIMEOUT_MS).unref();
}
