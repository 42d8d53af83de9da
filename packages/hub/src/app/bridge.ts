/** One WebSocket to the proxy, from hello to close. */
import { createJoiner, cut, type Chunk } from './chunks.ts';
import type { AppTimes } from './options.ts';
import { CLOSED, FEATURES, subprotocolsOf, VERSION } from './wire.ts';

/** A frame of the proxy; its members depend on its type. */
export interface ProxyFrame {
  readonly type: string;
  readonly request_id?: string;
  readonly tool_name?: string;
  readonly arguments?: unknown;
  readonly reason?: string;
  readonly code?: string;
  readonly message?: string;
}

interface WelcomeFrame extends ProxyFrame {
  readonly features?: readonly string[];
  readonly chunk_bytes?: number;
}

export interface BridgeEnd {
  /** Close code of the WebSocket; 1006 if there was none. */
  readonly code: number;
  readonly reason: string;
}

export interface BridgeOptions {
  readonly url: string;
  readonly token: string;
  readonly times: Pick<AppTimes, 'silenceMs' | 'welcomeMs'>;
  /** The proxy has answered the hello. */
  onWelcome(bridge: Bridge): void;
  onFrame(frame: ProxyFrame, bridge: Bridge): void;
}

export interface Bridge {
  /** False if the bridge is closed: nothing was sent. */
  send(text: string): boolean;
  close(): void;
  /** Closes the bridge if it has been silent too long. For pages whose timers were suspended. */
  check(): void;
  readonly ended: Promise<BridgeEnd>;
}

const NO_REASON = 1006;

export function openBridge({ url, token, times, onWelcome, onFrame }: BridgeOptions): Bridge {
  const socket = new WebSocket(url, subprotocolsOf(token));
  const chunks = createJoiner();
  let chunkBytes = Number.POSITIVE_INFINITY;
  let sent = 0;
  /** The hello is sent. The proxy may send a waiting call before its welcome. */
  let isOpen = false;
  let isWelcome = false;
  let heardAt = Date.now();

  let resolveEnd: (end: BridgeEnd) => void;
  const ended = new Promise<BridgeEnd>((resolve) => (resolveEnd = resolve));
  const finish = (end: BridgeEnd): void => {
    isOpen = false;
    clearInterval(watch);
    for (const [name, listener] of listeners) socket.removeEventListener(name, listener);
    socket.addEventListener('error', () => {});
    if (socket.readyState < socket.CLOSING) socket.close();
    resolveEnd(end);
  };
  /** Ends the bridge without waiting for the socket: on a dead network, closing takes long. */
  const check = (): void => {
    const timeoutMs = isWelcome ? times.silenceMs : times.welcomeMs;
    if (Date.now() - heardAt < timeoutMs) return;
    finish({
      code: NO_REASON,
      reason: isWelcome ? 'The hub stopped responding.' : 'The hub does not answer.',
    });
  };
  const watch = setInterval(check, Math.min(times.silenceMs, times.welcomeMs) / 4);

  const bridge: Bridge = {
    ended,
    check,
    send(text) {
      if (!isOpen) return false;
      for (const piece of cut(text, chunkBytes, `c${++sent}`)) socket.send(piece);
      return true;
    },
    close: () => finish({ code: 1000, reason: '' }),
  };

  const receive = (frame: ProxyFrame): void => {
    if (frame.type === 'chunk') {
      const whole = frameOf(chunks.add(frame as unknown as Chunk));
      if (whole !== undefined) receive(whole);
    } else if (frame.type === 'ping') {
      socket.send('{"type":"pong"}');
    } else if (frame.type === 'welcome') {
      const { features = [], chunk_bytes: bytes } = frame as WelcomeFrame;
      if (Array.isArray(features) && features.includes('chunks') && typeof bytes === 'number')
        chunkBytes = bytes;
      isWelcome = true;
      onWelcome(bridge);
    } else if (frame.type === 'replaced') {
      finish({ code: CLOSED.takenOver, reason: frame.message ?? '' });
    } else {
      onFrame(frame, bridge);
    }
  };

  const listeners: [name: string, listener: (event: Event) => void][] = [
    [
      'open',
      () => {
        socket.send(JSON.stringify({ type: 'hello', version: VERSION, features: FEATURES }));
        isOpen = true;
      },
    ],
    [
      'message',
      (event) => {
        heardAt = Date.now();
        const frame = frameOf((event as MessageEvent).data);
        if (frame !== undefined) receive(frame);
      },
    ],
    // Some environments emit only `error` if the connection fails.
    ['error', () => socket.readyState === socket.CLOSED && finish({ code: NO_REASON, reason: '' })],
    [
      'close',
      (event) => {
        const { code, reason } = event as CloseEvent;
        finish({ code, reason });
      },
    ],
  ];
  for (const [name, listener] of listeners) socket.addEventListener(name, listener);
  return bridge;
}

/** Undefined if the data is not a frame. Later proxies may send frames that this version does not know. */
function frameOf(data: unknown): ProxyFrame | undefined {
  if (typeof data !== 'string') return undefined;
  try {
    const value: unknown = JSON.parse(data);
    return typeof value === 'object' && value !== null && 'type' in value ? (value as ProxyFrame) : undefined;
  } catch {
    return undefined;
  }
}
