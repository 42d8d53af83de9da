import { unwatchFile, watchFile } from 'node:fs';
import { readToken } from './tokens.ts';

const CHECK_MS = 500;

/** Tells of a token file that was given another token, so that the old one stops working without a restart. */
export function watchToken(path: string, onChange: (token: string) => void): () => void {
  const check = (): void => {
    try {
      const token = readToken(path);
      if (token !== undefined) onChange(token);
    } catch {
      // Unreadable for now: the token that is in use stays.
    }
  };
  watchFile(path, { interval: CHECK_MS, persistent: false }, check);
  return () => unwatchFile(path, check);
}
