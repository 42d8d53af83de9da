/** Where the answer to one message goes: a line of its own, or a place in the line that answers a batch. */
import type { ByteText } from '../../core/wire/byte-text.ts';

export interface Reply {
  answer(text: ByteText): void;
  /** Once, answered or not. */
  done(): void;
}

export interface BatchReply {
  /** For one message of the batch. */
  open(): Reply;
  /** All of its messages are on their way. */
  close(): void;
}

export const lineReply = (write: (text: ByteText) => void): Reply => ({
  answer: write,
  done: () => undefined,
});

/** All answers in one line, when the last of them is there; none where nothing was asked. */
export function batchReply(write: (text: ByteText) => void): BatchReply {
  const answers: ByteText[] = [];
  let awaited = 1;
  const done = (): void => {
    awaited -= 1;
    if (awaited === 0 && answers.length > 0) write(`[${answers.join(',')}]`);
  };
  return {
    open() {
      awaited += 1;
      return { answer: (text) => void answers.push(text), done };
    },
    close: done,
  };
}
