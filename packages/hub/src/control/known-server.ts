import { PincerError } from '../core/errors.ts';

export interface KnownServers {
  readonly catalog: { has(server: string): boolean };
  /** Why a server cannot be used now. */
  problemOf(server: string): PincerError | undefined;
}

/** Throws where there is no such server, or where its settings are wrong: then with what is wrong. */
export function assertServer({ catalog, problemOf }: KnownServers, server: string): void {
  if (catalog.has(server)) return;
  throw (
    problemOf(server) ??
    new PincerError('SERVER_UNKNOWN', `No server "${server}" is configured.`, { hint: 'Run `pincer list`.' })
  );
}
