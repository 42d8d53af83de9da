/** What has the same key is done one after the other, say the turns of one conversation: a gateway would mix them. */
import { oneAtATime, type InTurn } from '../lib/one-at-a-time.ts';

export interface KeyQueue {
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
}

interface Line {
  readonly inTurn: InTurn;
  waiting: number;
}

export function createKeyQueue(): KeyQueue {
  const lines = new Map<string, Line>();
  return {
    async run(key, work) {
      const line = lines.get(key) ?? { inTurn: oneAtATime(), waiting: 0 };
      lines.set(key, line);
      line.waiting++;
      try {
        return await line.inTurn(work);
      } finally {
        if (--line.waiting === 0) lines.delete(key);
      }
    },
  };
}
