import type { Caller } from './caller.ts';

/** Who a bearer token belongs to. Tokens are kept as digests, so looking one up tells nothing by its timing. */
export interface Credentials {
  /** Grows on every change: what was remembered about a connection under an older version is void. */
  readonly version: number;
  set(tokenHash: string, caller: Caller): void;
  revoke(tokenHash: string): void;
  /** Told after each change: what a token that is gone has opened can be closed. */
  onChange(listener: () => void): () => void;
  /** The caller behind an `Authorization` header. */
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
