/** The files of the store. */
import { join } from 'node:path';

export interface StoreFiles {
  /** Credentials, pins, approvals, sessions of apps: data that cannot be recreated. */
  readonly state: string;
  /** A second copy of credentials and digests of pins, in case `state` is lost. */
  readonly replica: string;
  /** The last offers of servers. */
  readonly cache: string;
  /** The record of calls. */
  readonly calls: string;
  /** Daily copies of `state`. */
  readonly copies: string;
}

export const storeFiles = (home: string): StoreFiles => ({
  state: join(home, 'state.sqlite'),
  replica: join(home, 'state.replica.json'),
  cache: join(home, 'cache.sqlite'),
  calls: join(home, 'calls.sqlite'),
  copies: join(home, 'copies'),
});
