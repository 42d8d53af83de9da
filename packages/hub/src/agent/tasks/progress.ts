/** Tells a caller that asked for it what the agent has said so far. */
import type { Exchange, SourceRequest } from '../../core/request.ts';
import { jsonBytes } from '../../core/wire/byte-text.ts';
import { findMember, writeMembers } from '../../core/wire/members.ts';
import type { OrderProgress } from '../backend.ts';
import { lastSaid } from './said.ts';

/** No more often than people read, and no more of it than they see at once. */
const EVERY_MS = 200;
const MAX_CHARS = 4_000;

export interface ProgressTeller {
  tell(read: () => OrderProgress): void;
  stop(): void;
}

export function tellProgress(
  { meta }: Pick<SourceRequest, 'meta'>,
  exchange: Pick<Exchange, 'notify'>,
): ProgressTeller {
  const progressToken = findMember(meta, 'progressToken');
  if (progressToken === undefined) return { tell: () => undefined, stop: () => undefined };
  let count = 0;
  let latest: (() => OrderProgress) | undefined;
  let last = '';
  let timer: NodeJS.Timeout | undefined;

  function send(): void {
    timer = undefined;
    if (latest === undefined) return;
    const message = lastSaid(latest(), MAX_CHARS) || 'OpenClaw is working.';
    latest = undefined;
    // Of some events nothing is to be seen.
    if (message !== last) {
      last = message;
      count++;
      exchange.notify(
        'notifications/progress',
        writeMembers([], { progressToken, progress: `${count}`, message: jsonBytes(message) }),
      );
    }
    timer = setTimeout(send, EVERY_MS).unref();
  }

  return {
    tell(read) {
      latest = read;
      if (timer === undefined) send();
    },
    stop: () => clearTimeout(timer),
  };
}
