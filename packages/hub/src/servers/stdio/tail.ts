import { hideUrlPasswords } from '../../core/redact/redact-secrets.ts';
import { type ByteText } from '../../core/wire/byte-text.ts';

/** The last bytes of a stream, without passwords: programs print the URL of a proxy that they could not reach. */
export interface Tail {
  push(chunk: ByteText): void;
  text(): string;
  /** The line that explains why a program ended: its last error, otherwise its last line. */
  lastLine(): string | undefined;
  /** Calls the listener for every further chunk. */
  onPush(listener: (chunk: ByteText) => void): () => void;
}

/** The first line of an uncaught error in Node or Python; Node writes its version after it. */
const THROWN = /^(?:Uncaught )?[\w.]*(?:Error|Exception)(?: \[\w+\])?: /;

export function createTail(maxBytes: number): Tail {
  const listeners = new Set<(chunk: ByteText) => void>();
  let kept = '';
  const text = (): string => hideUrlPasswords(Buffer.from(kept, 'latin1').toString('utf8'));
  return {
    push(chunk) {
      kept = (kept + chunk).slice(-maxBytes);
      for (const listener of listeners) listener(chunk);
    },
    text,
    lastLine() {
      const lines = text().trimEnd().split('\n');
      return (lines.findLast((line) => THROWN.test(line)) ?? lines.at(-1))?.trim().slice(0, 500) || undefined;
    },
    onPush(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
