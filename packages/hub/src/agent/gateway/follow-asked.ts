/** Follows what a gateway asks during one run, both approvals and questions, from before the run starts until it ends. */
import { isRecord } from '../../lib/record.ts';
import type { GatewaySocket } from '../../openclaw/socket.ts';
import type { Gateway } from './gateway.ts';

interface Asking<T extends Asked> {
  readNews(event: string, payload: unknown): AskedNews<T> | undefined;
  /** Lists the open approvals or questions. */
  readOpen(socket: GatewaySocket): Promise<readonly T[]>;
  /** Answers it. The signal aborts when an answer is no longer needed. */
  settle(asked: T, signal: AbortSignal): Promise<void>;
}

export interface FollowedAsked {
  /** Reads what was asked or answered while there was no connection. Does not reject. */
  catchUp(socket: GatewaySocket): Promise<void>;
  /** Follows this connection and its successors until the run has ended. Rejects if the connection cannot be restored. */
  stayInformed(socket: GatewaySocket): Promise<void>;
  /** The run has ended: aborts everything that is still open. */
  off(): void;
}

export function followAsked<T extends Asked>(
  line: Pick<Gateway, 'reconnect' | 'onEvent'>,
  run: AskingRun,
  { readNews, readOpen, settle }: Asking<T>,
): FollowedAsked {
  /** Everything asked in this run, answered or not, so that nothing is asked twice. */
  const known = new Map<string, AbortController>();
  const ended = Promise.withResolvers<void>();
  const over = new AbortController();

  function take(asked: T): void {
    if (over.signal.aborted || known.has(asked.id) || !isAskedBy(run, asked)) return;
    const decided = new AbortController();
    known.set(asked.id, decided);
    // If the answer cannot be delivered, OpenClaw continues after its own timeout.
    settle(asked, AbortSignal.any([over.signal, decided.signal])).catch(() => undefined);
  }

  async function catchUp(socket: GatewaySocket): Promise<void> {
    const before = [...known];
    const open = await readOpen(socket).catch(() => undefined);
    if (open === undefined) return;
    for (const [id, decided] of before) if (open.every((asked) => asked.id !== id)) decided.abort();
    open.forEach(take);
  }

  async function stayInformed(first: GatewaySocket): Promise<void> {
    let socket = first;
    for (;;) {
      await Promise.race([socket.closed, ended.promise]);
      if (over.signal.aborted) return;
      socket = await line.reconnect();
      await catchUp(socket);
    }
  }

  const off = line.onEvent((event, payload) => {
    const news = readNews(event, payload);
    if (news?.kind === 'requested') take(news.asked);
    else if (news?.kind === 'resolved') known.get(news.id)?.abort();
  });

  return {
    catchUp,
    stayInformed,
    off() {
      off();
      over.abort();
      ended.resolve();
    },
  };
}

/** An approval or a question that a gateway asks during a run. */
export interface Asked {
  readonly id: string;
  /** Undefined if the gateway does not name the run. */
  readonly runId: string | undefined;
  /** As the gateway calls the conversation. */
  readonly sessionKey: string | undefined;
}

export type AskedNews<T extends Asked> =
  | { readonly kind: 'requested'; readonly asked: T }
  /** It was answered, timed out, or ended with its run. */
  | { readonly kind: 'resolved'; readonly id: string };

export interface AskingRun {
  /** From `chat.send`. */
  readonly runId: string;
  /** As the gateway calls the conversation. */
  sessionKey(): string;
}

export const isAskedBy = (run: AskingRun, { runId, sessionKey }: Omit<Asked, 'id'>): boolean =>
  runId === undefined ? sessionKey === run.sessionKey() : runId === run.runId;

export type AskedKind = 'exec' | 'plugin' | 'question';

/** The clients of OpenClaw that show each kind, by client id. A terminal shows questions only of its own conversation. */
const ASKED: Readonly<Record<AskedKind, readonly string[]>> = {
  exec: ['openclaw-control-ui', 'openclaw-macos', 'openclaw-ios', 'openclaw-android'],
  plugin: ['openclaw-control-ui', 'openclaw-tui'],
  question: ['openclaw-control-ui', 'openclaw-macos', 'openclaw-ios', 'openclaw-android'],
};

/** The scopes that see what is asked in runs of other devices. */
const SEE_ALL: Readonly<Record<AskedKind, readonly string[]>> = {
  exec: ['operator.admin'],
  plugin: ['operator.admin'],
  question: ['operator.admin', 'operator.questions'],
};

/** Whether one of OpenClaw's own windows shows it to a person. */
export async function isAskedElsewhere(orders: Pick<Gateway, 'connect'>, kind: AskedKind): Promise<boolean> {
  const socket = await orders.connect();
  return isAmong(await socket.request<unknown>('system-presence', {}), kind);
}

export const isAmong = (presence: unknown, kind: AskedKind): boolean =>
  Array.isArray(presence) && presence.some((entry) => isRecord(entry) && isShown(entry, kind));

function isShown(entry: Readonly<Record<string, unknown>>, kind: AskedKind): boolean {
  const { clientId, scopes, reason } = entry;
  if (reason === 'disconnect' || typeof clientId !== 'string' || !ASKED[kind].includes(clientId))
    return false;
  return Array.isArray(scopes) && SEE_ALL[kind].some((scope) => scopes.includes(scope));
}
