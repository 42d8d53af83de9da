/** The settings of a person for signing in to one server. */

export interface AuthSettings {
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  /** For `private_key_jwt`: PEM, or a JWK as JSON. The authorization server knows the public key. */
  readonly privateKey?: string | undefined;
  readonly authorizationServerUrl?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly identity?: 'shared' | 'per-caller' | undefined;
  readonly resource?: 'send' | 'omit' | undefined;
  /**
   * `code`: a person signs in with a browser on this machine. `device`: with a browser elsewhere. The others need no person.
   * `client`: Pincer uses its own secret or key. `workload`: a token of the machine. `enterprise`: an assertion of an
   * organisation's identity provider.
   */
  readonly flow?: 'code' | 'device' | 'client' | 'workload' | 'enterprise' | undefined;
  readonly workload?: TokenSetting | undefined;
  readonly identityProvider?: IdentityProvider | undefined;
  /** The port of a redirect address that a person registered. */
  readonly redirectPort?: number | undefined;
  readonly dpop?: boolean | undefined;
}

/** Flows without a person: they can be repeated at any time. */
export const isOwnFlow = (flow: AuthSettings['flow']): boolean =>
  flow === 'client' || flow === 'workload' || flow === 'enterprise';

/** A token that something else renews: its value, or a file that is read for each use. */
export interface TokenSetting {
  readonly token?: string | undefined;
  readonly file?: string | undefined;
}

export interface IdentityProvider extends TokenSetting {
  /** The address of its token endpoint. */
  readonly url: string;
  /** Pincer's client id there. */
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
}
