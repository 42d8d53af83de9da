/** Token files: 32 random bytes, base64url, readable by their owner only. */
import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import type { Credentials } from '../core/credentials.ts';
import { hasCode, messageOf, PincerError } from '../core/errors.ts';
import { writeFileAtomically } from './state-folder.ts';

const TOKEN_BYTES = 32;

function unreadable(path: string, verb: string, error: unknown): PincerError {
  return new PincerError(
    'TOKEN_UNREADABLE',
    `The token file ${path} cannot be ${verb}: ${messageOf(error)}`,
    {
      hint: `Make ${path} a file that you can read and write, or delete it: rm ${path}. The hub creates a new one when it starts.`,
      cause: error,
    },
  );
}

/** A token must be sendable in a header. Other bytes mean that the file is damaged. */
const TOKEN = /^[\x20-\x7e]+$/;

/** For clients. Returns undefined if there is no usable token. */
export function readToken(path: string): string | undefined {
  try {
    const token = readFileSync(path, 'utf8').trim();
    return TOKEN.test(token) ? token : undefined;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw unreadable(path, 'read', error);
  }
}

/** For the hub. Creates a token if the file is missing, empty or damaged. */
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

const CHECK_MS = 500;

/** Accepts the token of a file for as long as it is in the file. Returns a function that stops watching the file. */
export function useTokenFile(
  path: string,
  credentials: Credentials,
  name: string,
  digest: (text: string) => string,
): () => void {
  const enter = (token: string): string => {
    const hash = digest(token);
    credentials.set(hash, { id: name, name, scopes: {} });
    return hash;
  };
  let hash: string | undefined = enter(readOrCreateToken(path));
  return watchToken(path, (token) => {
    // The file was written with the same token: its connections stay open.
    if (hash !== undefined && token !== undefined && digest(token) === hash) return;
    if (hash !== undefined) credentials.revoke(hash);
    hash = token === undefined ? undefined : enter(token);
  });
}

/** Reports a replaced or removed token, so that the old one stops working without a restart. */
function watchToken(path: string, onChange: (token: string | undefined) => void): () => void {
  const check = (): void => {
    try {
      onChange(readToken(path));
    } catch {
      // The file is unreadable at the moment: the current token stays valid.
    }
  };
  watchFile(path, { interval: CHECK_MS, persistent: false }, check);
  return () => unwatchFile(path, check);
}
