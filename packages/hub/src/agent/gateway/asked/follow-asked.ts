/** All that a gateway asks for one run, from before it is ordered until it has ended. */
import type { Gateway } from '../connection/gateway.ts';
import type { GatewaySocket } from '../../../openclaw/socket.ts';
import { isAskedBy, type Asked, type AskedNews, type AskingRun } from './asked.ts';

export interface Asking<T extends Asked> {
  readNews(event: string, payload: unknown): AskedNews<T> | undefined;
  /** What waits for an answer now. */
  readOpen(socket: GatewaySocket): Promise<readonly T[]>;
  /** Aborted: it is over, and no answer is wanted any more. */
  settle(asked: T, signal: AbortSignal): Promise<void>;
}

export interface FollowedAsked {
  /** What was asked or answered while there was no connection. Does not reject. */
  catchUp(socket: GatewaySocket): Promise<void>;
  /** Until the run has ended, over this connection and those after it. Rejects where it does not come back. */
  stayInformed(socket: GatewaySocket): Promise<void>;
  /** The run has ended, and with it all that was asked for it. */
  off(): void;
}

export function followAsked<T extends Asked>(
  line: Pick<Gateway, 'comeBack' | 'onEvent'>,
  run: AskingRun,
  { readNews, readOpen, settle }: Asking<T>,
): FollowedAsked {
  /** All that were asked for this run, the answered ones too: none is asked twice. */
  const known = new Map<string, AbortController>();
  const ended = Promise.withResolvers<void>();
  const over = new AbortController();

  function take(asked: T): void {
    if (over.signal.aborted || known.has(asked.id) || !isAskedBy(run, asked)) return;
    const decided = new AbortController();
    known.set(asked.id, decided);
    // Where it cannot be brought back, OpenClaw goes on without it when the time is over.
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
      socket = await line.comeBack();
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
