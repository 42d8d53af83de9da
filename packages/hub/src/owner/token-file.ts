import type { Credentials } from '../core/credentials.ts';
import { readOrCreateToken } from './tokens.ts';
import { watchToken } from './watch-token.ts';

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
  let hash = enter(readOrCreateToken(path));
  return watchToken(path, (token) => {
    credentials.revoke(hash);
    hash = enter(token);
  });
}
