/** A sign-in under way, however it is done. */
import type { PincerError } from '../../../core/errors.ts';
import type { Limits } from '../../../core/limits.ts';
import type { Clock } from '../../../core/ports.ts';
import type { AuthSettings } from '../client/settings.ts';
import type { Discovered } from '../discovery/discover.ts';
import type { Client, Grant } from '../grant.ts';
import type { GuardedFetch } from '../guard/guarded-fetch.ts';

export type SignInOutcome =
  | { readonly ok: true; readonly grant: Grant }
  | { readonly ok: false; readonly error: PincerError };

export interface Flow {
  /** What to open; absent where nobody has to. */
  readonly link?: string;
  /** What to type there, where the link does not carry it. */
  readonly userCode?: string;
  /** Its name: 128 bits. */
  readonly state: string;
  readonly scopes: readonly string[];
  readonly ended: Promise<SignInOutcome>;
  /** A code, or the whole address that the browser was sent to. */
  complete(codeOrAddress: string): Promise<Grant>;
  cancel(reason: PincerError): void;
}

/** What each kind of flow needs. */
export interface FlowParts {
  readonly fetch: GuardedFetch;
  readonly clock: Clock;
  readonly limits: Pick<Limits, 'signInMs'>;
  readonly server: string;
  readonly caller: string;
  readonly auth: AuthSettings;
  readonly discovered: Discovered;
  readonly scopes: readonly string[];
  readonly clientMetadataUrl?: string | undefined;
  /** What an earlier sign-in at the same issuer has registered. */
  readonly known?: Client | undefined;
  /** Keeps what was given. */
  save(grant: Grant): Promise<void>;
}
