/** The grant of a sign-in, its store, and the port that authorizes requests with it. Only these types hold tokens. */

/** Identifies a record. It is never used for another server, issuer, resource or caller. */
export interface GrantKey {
  readonly server: string;
  readonly issuer: string;
  readonly resource: string;
  /** `shared`, or the id of the caller who signed in for themselves. */
  readonly caller: string;
}

/** The caller of a sign-in that all callers share. */
export const SHARED_CALLER = 'shared';

export type ClientAuthMethod = 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt';

/** Pincer as a client of an authorization server. */
export interface Client {
  readonly clientId: string;
  readonly clientSecret?: string;
  readonly authMethod: ClientAuthMethod;
  /** The port of the registered redirect address. */
  readonly redirectPort?: number;
  readonly how: 'configured' | 'metadata-document' | 'dynamic';
}

/** Everything needed to use and to renew the tokens of a sign-in. */
export interface Grant {
  readonly key: GrantKey;
  readonly client: Client;
  /** Identifies the sign-in; renewals keep it. */
  readonly signInId: string;
  readonly tokenEndpoint: string;
  readonly revocationEndpoint?: string;
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** In milliseconds since 1970. */
  readonly obtainedAt: number;
  /** In milliseconds since 1970; absent if the authorization server gave no lifetime. */
  readonly expiresAt?: number;
  readonly scopes: readonly string[];
  readonly dpop?: { readonly privateJwk: object };
  /** Whether token requests carry `resource` (RFC 8707). */
  readonly sendsResource: boolean;
  /** The OAuth error code with which the authorization server refused a renewal: a new sign-in is needed. */
  readonly refused?: string;
  /** Scopes that a request lacked: the next sign-in asks for them. */
  readonly wanted?: readonly string[];
}

/** The part of a grant without secrets. */
export type GrantInfo = Pick<Grant, 'key' | 'refused'>;

export interface GrantStore {
  /** Returns the latest one; with `url`, only one whose resource covers it. */
  find(server: string, caller: string, url?: string): Promise<Grant | undefined>;
  save(grant: Grant): Promise<void>;
  remove(server: string, caller: string): Promise<void>;
  /** Removes all grants of a caller, readable or not. */
  forgetCaller(caller: string): Promise<void>;
  list(): Promise<readonly GrantInfo[]>;
}

export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

export interface Signature {
  readonly headers: Readonly<Record<string, string>>;
  readonly signInId: string;
}

export interface TokenPort {
  /**
   * Returns the headers of a request, after a renewal if it is due. Undefined if there is no sign-in. Rejects with
   * SIGN_IN_NEEDED if a new one is needed.
   */
  authorize(request: { readonly method: string; readonly url: string }): Promise<Signature | undefined>;
  /** Renews after a 401 for this token, once for all requests. Returns false if a sign-in is needed. */
  renew(failedToken: string, headers?: ResponseHeaders): Promise<boolean>;
}
