/** The files of the store. */
import { join } from 'node:path';

export interface StoreFiles {
  /** Credentials, pins, approvals, sessions of apps: what cannot be had again. */
  readonly state: string;
  /** Credentials and digests of pins once more, in case `state` is lost. */
  readonly replica: string;
  /** What servers offered last. */
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
