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
  /** `code`: somebody signs in with a browser here. `device`: with one elsewhere. `client`: Pincer signs in for itself. */
  readonly flow?: 'code' | 'device' | 'client' | undefined;
  /** The port of the redirect address that was registered by hand. */
  readonly redirectPort?: number | undefined;
  readonly dpop?: boolean | undefined;
}
