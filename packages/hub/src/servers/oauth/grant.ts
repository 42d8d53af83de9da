/** What a sign-in at a remote server gives, and who keeps it. Tokens travel in these types alone. */

/** A record's identity. Nothing of one record is ever used for another server, issuer, resource or caller. */
export interface GrantKey {
  readonly server: string;
  readonly issuer: string;
  readonly resource: string;
  /** `shared`, or the id of the caller who signed in for themselves. */
  readonly caller: string;
}

/** The grant of a server whose sign-in is one for all callers. */
export const SHARED_CALLER = 'shared';

export type ClientAuthMethod = 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt';

/** Who Pincer is to an authorization server. */
export interface Client {
  readonly clientId: string;
  readonly clientSecret?: string;
  readonly authMethod: ClientAuthMethod;
  /** The port of the redirect address that was registered. */
  readonly redirectPort?: number;
  readonly how: 'configured' | 'metadata-document' | 'dynamic';
}

/** Everything that is needed to use what a sign-in gave, and to renew it. */
export interface Grant {
  readonly key: GrantKey;
  readonly client: Client;
  /** Names what somebody has agreed to once; it stays when that is renewed. */
  readonly signInId: string;
  readonly tokenEndpoint: string;
  readonly revocationEndpoint?: string;
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** In milliseconds since 1970. */
  readonly obtainedAt: number;
  /** In milliseconds since 1970; absent when the authorization server did not say. */
  readonly expiresAt?: number;
  readonly scopes: readonly string[];
  readonly dpop?: { readonly privateJwk: object };
  /** Whether `resource` (RFC 8707) goes with token requests. */
  readonly sendsResource: boolean;
  /** The authorization server renews it no longer, and said why: somebody has to sign in again. */
  readonly refused?: string;
  /** Scopes that the server wanted for something that was tried: the next sign-in asks for them, too. */
  readonly wanted?: readonly string[];
}

/** What may be shown of a grant: no secret is in it. */
export type GrantInfo = Pick<Grant, 'key' | 'refused'>;

export interface GrantStore {
  /** The latest; with the server's address, only one whose resource that is. */
  find(server: string, caller: string, url?: string): Promise<Grant | undefined>;
  save(grant: Grant): Promise<void>;
  remove(server: string, caller: string): Promise<void>;
  /** A caller is gone: what they signed in to for themselves is forgotten, whether it can be read or not. */
  forgetCaller(caller: string): Promise<void>;
  list(): Promise<readonly GrantInfo[]>;
}

export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** What shows who asks. */
export interface Signature {
  readonly headers: Readonly<Record<string, string>>;
  readonly signInId: string;
}

export interface TokenPort {
  /**
   * What goes with a request, refreshed when due. Undefined: nobody has signed in. Rejects with SIGN_IN_NEEDED where
   * somebody has to do so again.
   */
  authorize(request: { readonly method: string; readonly url: string }): Promise<Signature | undefined>;
  /** After a 401 that named this token: one refresh for all. False: a sign-in is needed. */
  renew(failedToken: string, headers?: ResponseHeaders): Promise<boolean>;
}
