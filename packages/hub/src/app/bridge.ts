/** One WebSocket to the proxy, from hello to its end. */
import { createJoiner, cut, type Chunk } from './chunks.ts';
import type { AppTimes } from './options.ts';
import { CLOSED, FEATURES, subprotocolsOf, VERSION } from './wire.ts';

/** What the proxy says; which members there are depends on the type. */
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
  /** Of the WebSocket; 1006 where nothing was said. */
  readonly code: number;
  readonly reason: string;
}

export interface BridgeOptions {
  readonly url: string;
  readonly token: string;
  readonly times: Pick<AppTimes, 'silenceMs' | 'welcomeMs'>;
  /** The proxy knows what this app can do. */
  onWelcome(bridge: Bridge): void;
  onFrame(frame: ProxyFrame, bridge: Bridge): void;
}

export interface Bridge {
  /** False where the bridge is gone: nothing was sent. */
  send(text: string): boolean;
  close(): void;
  /** Looks whether it is still alive: a page that was asleep need not wait for its timers. */
  check(): void;
  readonly ended: Promise<BridgeEnd>;
}

const NO_REASON = 1006;

export function openBridge({ url, token, times, onWelcome, onFrame }: BridgeOptions): Bridge {
  const socket = new WebSocket(url, subprotocolsOf(token));
  const chunks = createJoiner();
  let chunkBytes = Number.POSITIVE_INFINITY;
  let sent = 0;
  /** Hello is said: the proxy may send a call that was waiting before it has said welcome. */
  let isOpen = false;
  let isWelcome = false;
  let heardAt = Date.now();

  let tellEnd: (end: BridgeEnd) => void;
  const ended = new Promise<BridgeEnd>((resolve) => (tellEnd = resolve));
  const finish = (end: BridgeEnd): void => {
    isOpen = false;
    clearInterval(watch);
    for (const [name, listener] of listeners) socket.removeEventListener(name, listener);
    socket.addEventListener('error', () => {});
    if (socket.readyState < socket.CLOSING) socket.close();
    tellEnd(end);
  };
  /** A socket on a dead network takes its time to close; nobody waits for it. */
  const check = (): void => {
    const patience = isWelcome ? times.silenceMs : times.welcomeMs;
    if (Date.now() - heardAt < patience) return;
    finish({ code: NO_REASON, reason: isWelcome ? 'The hub has gone silent.' : 'The hub does not answer.' });
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
    // Some surroundings say no more than this where no connection came about.
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

/** Nothing where it is no frame: a later proxy may say things that this app does not know. */
function frameOf(data: unknown): ProxyFrame | undefined {
  if (typeof data !== 'string') return undefined;
  try {
    const value: unknown = JSON.parse(data);
    return typeof value === 'object' && value !== null && 'type' in value ? (value as ProxyFrame) : undefined;
  } catch {
    return undefined;
  }
}
