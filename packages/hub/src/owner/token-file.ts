import { unwatchFile, watchFile } from 'node:fs';
import type { Credentials } from '../core/credentials.ts';
import { readOrCreateToken, readToken } from './tokens.ts';

const CHECK_MS = 500;

/** The token in a file opens the door for as long as it is in the file. Returns what ends the watching. */
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
    // The same token in a file that was written again: what was opened with it stays open.
    if (hash !== undefined && token !== undefined && digest(token) === hash) return;
    if (hash !== undefined) credentials.revoke(hash);
    hash = token === undefined ? undefined : enter(token);
  });
}

/** Tells of a token file that was given another token or none: the old one stops working without a restart. */
function watchToken(path: string, onChange: (token: string | undefined) => void): () => void {
  const check = (): void => {
    try {
      onChange(readToken(path));
    } catch {
      // Unreadable at the moment: the token that is in use stays.
    }
  };
  watchFile(path, { interval: CHECK_MS, persistent: false }, check);
  return () => unwatchFile(path, check);
}
