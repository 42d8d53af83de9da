import type { Caller } from './caller.ts';

/** Maps bearer tokens to callers. Tokens are kept as digests, so the time of a lookup reveals nothing. */
export interface Credentials {
  /** Grows on every change. Anything cached under an older version is void. */
  readonly version: number;
  set(tokenHash: string, caller: Caller): void;
  revoke(tokenHash: string): void;
  /** Called after each change, so that connections of a revoked token can be closed. */
  onChange(listener: () => void): () => void;
  authenticate(authorization: string | undefined): Caller | undefined;
}

const BEARER = /^Bearer +([\w.~+/=-]{1,512}) *$/i;

export function createCredentials(digest: (text: string) => string): Credentials {
  const callers = new Map<string, Caller>();
  const listeners = new Set<() => void>();
  let version = 0;
  const change = (): void => {
    version++;
    for (const listener of listeners) listener();
  };
  return {
    get version() {
      return version;
    },
    set(tokenHash, caller) {
      callers.set(tokenHash, caller);
      change();
    },
    revoke(tokenHash) {
      callers.delete(tokenHash);
      change();
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    authenticate(authorization) {
      const token = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
      return token === undefined ? undefined : callers.get(digest(token));
    },
  };
}
