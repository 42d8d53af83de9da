/** What a person may have set for signing in to one server. */

export interface AuthSettings {
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  /** A private key that the authorization server knows the public half of: PEM, or a JWK as JSON. */
  readonly privateKey?: string | undefined;
  readonly authorizationServerUrl?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly identity?: 'shared' | 'per-caller' | undefined;
  readonly resource?: 'send' | 'omit' | undefined;
  /**
   * `code`: somebody signs in with a browser here. `device`: with one elsewhere. The others need nobody. `client`: Pincer
   * shows its own secret or key, `workload`: what the machine that it runs on was given, `enterprise`: what the identity
   * provider of an organisation gives for it.
   */
  readonly flow?: 'code' | 'device' | 'client' | 'workload' | 'enterprise' | undefined;
  readonly workload?: KeptToken | undefined;
  readonly identityProvider?: IdentityProvider | undefined;
  /** The port of the redirect address that was registered by hand. */
  readonly redirectPort?: number | undefined;
  readonly dpop?: boolean | undefined;
}

/** A token that somebody else renews: as it is written, or in a file that is read each time. */
export interface KeptToken {
  readonly token?: string | undefined;
  readonly file?: string | undefined;
}

export interface IdentityProvider extends KeptToken {
  /** Of its token endpoint. */
  readonly url: string;
  /** Who Pincer is there. */
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
}
