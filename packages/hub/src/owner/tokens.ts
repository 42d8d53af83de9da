/** Token files: 32 random bytes, base64url, readable by their owner only. */
import { readFileSync } from 'node:fs';
import { hasCode, messageOf, PincerError } from '../core/errors.ts';
import { writeFileAtomically } from './state-folder.ts';

const TOKEN_BYTES = 32;

function unreadable(path: string, verb: string, error: unknown): PincerError {
  return new PincerError(
    'TOKEN_UNREADABLE',
    `The token file ${path} cannot be ${verb}: ${messageOf(error)}`,
    {
      hint: `Make ${path} a file that you can read and write, or delete it: the hub makes a new one when it starts.`,
      cause: error,
    },
  );
}

/** What can be sent in a header. Other bytes are a file that was damaged: nobody can have such a token. */
const TOKEN = /^[\x20-\x7e]+$/;

/** For clients: undefined when there is no token yet. */
export function readToken(path: string): string | undefined {
  try {
    const token = readFileSync(path, 'utf8').trim();
    return TOKEN.test(token) ? token : undefined;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw unreadable(path, 'read', error);
  }
}

/** For the hub: what the file holds stays; an absent, empty or damaged one is made anew. */
export function readOrCreateToken(path: string): string {
  const existing = readToken(path);
  if (existing !== undefined) return existing;
  // The global, not node:crypto: clients that only read a token should not load it.
  const token = Buffer.from(crypto.getRandomValues(new Uint8Array(TOKEN_BYTES))).toString('base64url');
  try {
    writeFileAtomically(path, token);
  } catch (error) {
    throw unreadable(path, 'written', error);
  }
  return token;
}
