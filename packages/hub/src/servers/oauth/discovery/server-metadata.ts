/** What an authorization server says of itself (RFC 8414, OpenID Connect Discovery), and where it says it. Pure. */
import { PincerError } from '../../../core/errors.ts';
import { visible } from '../../../core/visible.ts';
import { placeOf, type Bounds } from '../guard/bounds.ts';
import { neededTextIn, readObject, textIn, textsIn, type Fields } from '../read-json.ts';

export interface ServerMetadata {
  readonly issuer: string;
  readonly authorizationEndpoint?: string;
  readonly tokenEndpoint: string;
  readonly registrationEndpoint?: string;
  readonly revocationEndpoint?: string;
  readonly deviceAuthorizationEndpoint?: string;
  readonly scopesSupported?: readonly string[];
  readonly authMethods?: readonly string[];
  /** PKCE with S256 is advertised. */
  readonly hasS256: boolean;
  readonly takesMetadataDocuments: boolean;
  /** It says who it is when it sends the browser back (RFC 9207). */
  readonly sendsIssuer: boolean;
}

export const SERVER_METADATA = 'The metadata of the authorization server';

/** In the order of the specification: RFC 8414 with the path put in, OpenID Connect with it put in, with it in front. */
export function serverMetadataPlaces(issuer: URL): readonly string[] {
  const { origin } = issuer;
  const path = issuer.pathname.replace(/\/$/, '');
  const places = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ];
  return [...new Set(places)];
}

/**
 * `issuers`: as who it may speak, exactly (RFC 8414 §3.3): otherwise one could speak for another, and be given the other's
 * codes.
 */
export function readServerMetadata(text: string, issuers: readonly string[], bounds: Bounds): ServerMetadata {
  const fields = readObject(text, SERVER_METADATA);
  const issuer = neededTextIn(fields, 'issuer', SERVER_METADATA);
  if (!issuers.includes(issuer))
    throw new PincerError(
      'SIGN_IN_FAILED',
      `The authorization server at ${visible(issuers[0]!)} says that it is another one (${visible(issuer)}).`,
    );
  const endpoint = (name: string): string | undefined => {
    const value = textIn(fields, name);
    return value === undefined ? undefined : placeOf(value, bounds, ENDPOINTS[name] ?? name).href;
  };
  const tokenEndpoint = endpoint('token_endpoint');
  if (tokenEndpoint === undefined)
    throw new PincerError('SIGN_IN_FAILED', `${SERVER_METADATA} names no token endpoint.`);
  return {
    issuer,
    tokenEndpoint,
    ...defined({
      authorizationEndpoint: endpoint('authorization_endpoint'),
      registrationEndpoint: endpoint('registration_endpoint'),
      revocationEndpoint: endpoint('revocation_endpoint'),
      deviceAuthorizationEndpoint: endpoint('device_authorization_endpoint'),
    }),
    ...abilities(fields),
  };
}

const abilities = (fields: Fields): Omit<ServerMetadata, 'issuer' | 'tokenEndpoint'> => ({
  ...defined({
    scopesSupported: textsIn(fields, 'scopes_supported'),
    authMethods: textsIn(fields, 'token_endpoint_auth_methods_supported'),
  }),
  hasS256: textsIn(fields, 'code_challenge_methods_supported')?.includes('S256') === true,
  takesMetadataDocuments: fields['client_id_metadata_document_supported'] === true,
  sendsIssuer: fields['authorization_response_iss_parameter_supported'] === true,
});

const ENDPOINTS: Readonly<Record<string, string>> = {
  authorization_endpoint: 'The page to sign in at',
  token_endpoint: 'The token endpoint',
  registration_endpoint: 'The registration endpoint',
  revocation_endpoint: 'The revocation endpoint',
  device_authorization_endpoint: 'The device authorization endpoint',
};

function defined<T extends object>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]>;
  };
}
