/** Ends the connection to a server that nobody has used for a while. */
import { PincerError } from '../../core/errors.ts';
import type { Connection } from '../connection/connection.ts';

export interface IdleStopParts {
  readonly idleMs: number;
  isNeeded(): boolean;
  current(): Connection | undefined;
  /** Told before the connection ends: that is no loss. */
  rest(): void;
}

/** Looks this many times as often as the time that it waits for. */
const LOOKS = 4;

export function startIdleStop({ idleMs, isNeeded, current, rest }: IdleStopParts): { stop(): void } {
  const timer = setInterval(() => {
    const connection = current();
    if (connection === undefined || isNeeded() || connection.idleMs < idleMs) return;
    rest();
    void connection.close(new PincerError('SERVER_GONE', 'Stopped because nobody used it.'));
  }, idleMs / LOOKS).unref();
  return { stop: () => clearInterval(timer) };
}
