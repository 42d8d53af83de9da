/** Progress of one call: the first word at once, then the latest at intervals. */
import { MAX_PROGRESS_CHARS } from './wire.ts';

export interface Word {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

export interface Progress {
  tell(done: number, total?: number, message?: string): void;
  /** Says what is not said yet, and nothing from then on. */
  finish(): void;
}

export function createProgress(say: (word: Word) => void, everyMs: number): Progress {
  let waiting: Word | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;

  const sayWaiting = (): void => {
    timer = undefined;
    if (waiting === undefined) return;
    say(waiting);
    waiting = undefined;
    timer = setTimeout(sayWaiting, everyMs);
  };

  return {
    tell(done, total, message) {
      if (isOver || !Number.isFinite(done)) return;
      waiting = {
        progress: done,
        ...(total !== undefined && Number.isFinite(total) && { total }),
        ...(message !== undefined && { message: message.slice(0, MAX_PROGRESS_CHARS).toWellFormed() }),
      };
      if (timer === undefined) sayWaiting();
    },
    finish() {
      if (waiting !== undefined) say(waiting);
      isOver = true;
      waiting = undefined;
      clearTimeout(timer);
    },
  };
}
