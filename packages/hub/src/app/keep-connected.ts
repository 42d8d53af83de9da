/** Keeps a bridge open: creates the session, opens the bridge, and reconnects until closed. */
import { openBridge, type Bridge, type BridgeEnd, type ProxyFrame } from './bridge.ts';
import { AppError } from './error.ts';
import type { Memory } from './session-memory.ts';
import { tokenRefused, TryAgain, type AppSession } from './session.ts';
import { isFinal, retryPause, type AppTimes, type Status, type StatusChange } from './options.ts';
import { CLOSED } from './wire.ts';

interface KeeperOptions {
  readonly url: string;
  readonly token: string;
  readonly times: AppTimes;
  readonly memory: Memory;
  create(): Promise<AppSession>;
  /** `isRegistered`: the session was just created with the current tools. */
  onOpen(isRegistered: boolean): void;
  onFrame(frame: ProxyFrame, bridge: Bridge, session: AppSession): void;
  onStatus(change: StatusChange): void;
}

export interface Keeper {
  readonly status: Status;
  /** The current session, or the last one. */
  readonly session: AppSession | undefined;
  readonly bridge: Bridge | undefined;
  /** Resolves when the connection has ended, with an error unless it was closed. */
  readonly over: Promise<AppError | undefined>;
  /** Checks the bridge and retries at once, for example when the network is back. */
  wake(): void;
  close(): void;
}

export function keepConnected(options: KeeperOptions): Keeper {
  const { url, token, times, memory } = options;
  const pause = createPause();
  let status: Status = 'connecting';
  let session: AppSession | undefined;
  let known: AppSession | undefined;
  let wasOpen = false;
  let bridge: Bridge | undefined;
  let failures = 0;

  const tell = (next: Status, reason?: string): void => {
    if (isFinal(status)) return;
    status = next;
    const isNewSession = next === 'open' && known !== undefined && known.sessionId !== session?.sessionId;
    if (next === 'open') {
      known = session;
      wasOpen = true;
    }
    options.onStatus({
      status,
      sessionId: known?.sessionId,
      mcpUrl: known?.mcpUrl,
      isNewSession,
      ...(reason !== undefined && reason !== '' && { reason }),
    });
  };
  const isOver = (): boolean => isFinal(status);

  const tellLost = (reason: string): void => tell(wasOpen ? 'reconnecting' : 'connecting', reason);

  async function retry(reason: string, atLeastMs = 0): Promise<void> {
    tellLost(reason);
    await pause.wait(Math.max(atLeastMs, retryPause(failures++, times)));
  }

  async function oneBridge(present: AppSession, isNew: boolean): Promise<BridgeEnd> {
    let openedAt: number | undefined;
    bridge = openBridge({
      url: present.bridgeUrl,
      token,
      times,
      onWelcome() {
        openedAt = Date.now();
        options.onOpen(isNew);
        tell('open');
      },
      onFrame: (frame, from) => options.onFrame(frame, from, present),
    });
    const end = await bridge.ended;
    bridge = undefined;
    if (openedAt !== undefined && Date.now() - openedAt >= times.steadyMs) failures = 0;
    return end;
  }

  /** Undefined if it failed; returns after the pause before the next attempt. */
  async function newSession(): Promise<AppSession | undefined> {
    try {
      return await options.create();
    } catch (error) {
      if (!(error instanceof TryAgain)) throw error;
      await retry(error.message, error.afterMs);
      return undefined;
    }
  }

  async function run(): Promise<AppError | undefined> {
    const recalled = await memory.recall();
    session = known = recalled;
    while (!isOver()) {
      const isNew = session === undefined;
      session ??= await newSession();
      if (session === undefined || isOver()) continue;
      if (isNew) memory.keep(session);
      const end = await oneBridge(session, isNew);
      if (isOver()) break;
      const next = afterEnd(end.code, { isNew, isRecalled: session === recalled, wasOpen });
      if (next === 'refused') throw tokenRefused(url);
      if (next === 'replaced') return replaced(end.reason);
      if (next === 'retry') {
        await retry(end.reason === '' ? LOST : end.reason);
        continue;
      }
      session = undefined;
      memory.forget();
      if (next === 'renew') tellLost(UNKNOWN);
      else await retry(UNKNOWN);
    }
    return undefined;
  }

  function replaced(reason: string): AppError {
    tell('replaced', reason);
    return new AppError('BRIDGE_REPLACED', reason === '' ? REPLACED : reason, { hint: RECONNECT_HINT });
  }

  const over = run().catch((error: unknown) => {
    const failure =
      error instanceof AppError ? error : new AppError('INTERNAL', String(error), { cause: error });
    tell('refused', failure.message);
    return failure;
  });

  return {
    get status() {
      return status;
    },
    get session() {
      return session ?? known;
    },
    get bridge() {
      return bridge;
    },
    over,
    wake() {
      bridge?.check();
      pause.wake();
    },
    close() {
      tell('closed');
      bridge?.close();
      pause.wake();
    },
  };
}

const UNKNOWN = 'The hub no longer knows the session.';
const LOST = 'The connection to the hub is lost.';
const REPLACED = 'Another page or process uses this session now.';
const RECONNECT_HINT =
  'Close the other one and connect again. To keep both, give each connection its own session.';

export interface EndedBridge {
  /** Its session was created for this bridge. */
  readonly isNew: boolean;
  /** Its session was remembered, for example across a reload of the page. */
  readonly isRecalled: boolean;
  /** Some bridge has been open before. */
  readonly wasOpen: boolean;
}

export type AfterEnd =
  /** Stop: the token is not accepted. */
  | 'refused'
  /** Stop: another connection has the session. */
  | 'replaced'
  /** Create a new session at once. */
  | 'renew'
  /** Create a new session after a pause. */
  | 'renew-later'
  /** Open another bridge on the same session after a pause. */
  | 'retry';

export function afterEnd(code: number, { isNew, isRecalled, wasOpen }: EndedBridge): AfterEnd {
  switch (code) {
    case CLOSED.refused:
      // A remembered session may belong to another token. Creating a session shows whether this token is valid.
      return isRecalled && !wasOpen ? 'renew' : 'refused';
    case CLOSED.takenOver:
      return 'replaced';
    case CLOSED.unknown:
      // An old session may have expired; a new one should not, so do not retry at once.
      return isNew ? 'renew-later' : 'renew';
    default:
      return 'retry';
  }
}

/** A wait that can be cut short. */
interface Pause {
  wait(ms: number): Promise<void>;
  /** Ends the current wait. */
  wake(): void;
}

function createPause(): Pause {
  let wake: () => void = () => {};
  return {
    async wait(ms) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      await new Promise<void>((resolve) => {
        wake = resolve;
        timer = setTimeout(resolve, ms);
      });
      clearTimeout(timer);
    },
    wake: () => wake(),
  };
}
