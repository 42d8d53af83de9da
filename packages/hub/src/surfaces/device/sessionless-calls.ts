/** Calls of clients that have no session, so that a notice of theirs can still say which one it no longer wants. */
import type { Caller } from '../../core/caller.ts';
import type { Running } from '../../core/request.ts';
import { jsonBytes, parseBytes, type ByteText } from '../../core/wire/byte-text.ts';

export interface SessionlessCalls {
  /** Forget it when it is answered. */
  add(caller: Caller, id: ByteText, running: Running): { forget(): void };
  cancel(caller: Caller, id: ByteText, reason: string): void;
}

export function createSessionlessCalls(): SessionlessCalls {
  const underway = new Map<string, Set<Running>>();
  return {
    add(caller, id, running) {
      const key = keyOf(caller, id);
      const calls = underway.get(key) ?? new Set();
      underway.set(key, calls.add(running));
      return {
        forget() {
          calls.delete(running);
          if (calls.size === 0) underway.delete(key);
        },
      };
    },
    cancel(caller, id, reason) {
      const calls = underway.get(keyOf(caller, id));
      // Several clients may have one token, and count alike: which of them is meant nobody can tell.
      if (calls?.size === 1) for (const running of calls) running.cancel(reason);
    },
  };
}

/** A string is the same however it is written, and is no number. */
const keyOf = ({ id: caller }: Caller, id: ByteText): string =>
  JSON.stringify([caller, id.startsWith('"') ? jsonBytes(parseBytes(id)) : id]);
