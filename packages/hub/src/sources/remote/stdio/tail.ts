import { type ByteText } from '../../../core/wire/byte-text.ts';

/** The last bytes of a stream. */
export interface Tail {
  push(chunk: ByteText): void;
  text(): string;
  lastLine(): string | undefined;
}

export function createTail(maxBytes: number): Tail {
  let kept = '';
  const text = (): string => Buffer.from(kept, 'latin1').toString('utf8');
  return {
    push(chunk) {
      kept = (kept + chunk).slice(-maxBytes);
    },
    text,
    lastLine: () => text().trimEnd().split('\n').at(-1)?.trim().slice(0, 500) || undefined,
  };
}
