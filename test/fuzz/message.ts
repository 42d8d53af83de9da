/** One message of the fuzzer, and what is known of it. */
import { jsonText } from './json-text.ts';
import { mutateBytes, mutateMembers } from './mutate.ts';
import type { Random } from './random.ts';
import { validMessage, writeMembers, type ValidMessage } from './valid-message.ts';

export interface FuzzMessage {
  bytes: Buffer;
  /** What it was made of, for its headers. */
  origin: ValidMessage;
  /** Nothing was damaged: it must be answered, and by its id. */
  isValid: boolean;
}

/** `id` is JSON text that no other message has. */
export function createMessage(random: Random, id: string, prefixes: readonly string[]): FuzzMessage {
  const origin = validMessage(random, id, prefixes);
  const text = writeMembers(origin.members);
  const damaged = (bytes: Buffer): FuzzMessage => ({ bytes, origin, isValid: false });
  switch (random.int(10)) {
    case 0:
    case 1:
    case 2:
      return { bytes: Buffer.from(text), origin, isValid: true };
    case 3:
    case 4:
      return damaged(mutateBytes(random, Buffer.from(text)));
    case 5:
      return damaged(random.bytes(random.int(400)));
    case 6:
      return damaged(Buffer.from(jsonText(random, 5)));
    default: {
      let { members } = origin;
      for (let left = 1 + random.int(3); left > 0; left--) members = mutateMembers(random, members);
      return damaged(Buffer.from(writeMembers(members)));
    }
  }
}
