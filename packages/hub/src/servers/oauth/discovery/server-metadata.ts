/** The metadata of an authorization server (RFC 8414, OpenID Connect Discovery), and where it is published. */
import type { AuthorizationServer } from 'oauth4webapi';
import { PincerError } from '../../../core/errors.ts';
import { visible } from '../../../core/visible.ts';
import { checkedUrl, type Bounds } from '../guard/bounds.ts';
import { neededTextIn, readObject, textIn, textsIn } from '../read-json.ts';

/** Only what was checked: other members of the document are left out. */
export type ServerMetadata = AuthorizationServer & { readonly token_endpoint: string };

/** PKCE with S256 is announced, by its exact name. */
export const hasS256 = ({ code_challenge_methods_supported: methods }: ServerMetadata): boolean =>
  methods?.includes('S256') === true;

export const SERVER_METADATA = 'The metadata of the authorization server';

/** In the order that MCP asks for: RFC 8414, then OpenID Connect with the path inserted, then with it in front. */
export function serverMetadataUrls(issuer: URL): readonly string[] {
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
 * @param issuers the only issuers that it may name, compared exactly (RFC 8414 §3.3): otherwise one server could speak for
 * another, and receive its codes. oauth4webapi compares after normalising.
 */
export function readServerMetadata(text: string, issuers: readonly string[], bounds: Bounds): ServerMetadata {
  const fields = readObject(text, SERVER_METADATA);
  const issuer = neededTextIn(fields, 'issuer', SERVER_METADATA);
  if (!issuers.includes(issuer))
    throw new PincerError(
      'SIGN_IN_FAILED',
      `The authorization server at ${visible(issuers[0]!)} identifies itself as another issuer (${visible(issuer)}).`,
    );
  const endpoints: Record<string, string> = {};
  for (const [name, what] of Object.entries(ENDPOINTS)) {
    const value = textIn(fields, name);
    if (value !== undefined) endpoints[name] = checkedUrl(value, bounds, what).href;
  }
  const { token_endpoint } = endpoints;
  if (token_endpoint === undefined)
    throw new PincerError('SIGN_IN_FAILED', `${SERVER_METADATA} names no token endpoint.`);
  const lists: Record<string, string[]> = {};
  for (const name of LISTS) {
    const value = textsIn(fields, name);
    if (value !== undefined) lists[name] = value;
  }
  const flags = Object.fromEntries(FLAGS.map((name) => [name, fields[name] === true]));
  return { issuer, ...endpoints, token_endpoint, ...lists, ...flags };
}

const ENDPOINTS: Readonly<Record<string, string>> = {
  authorization_endpoint: 'The page to sign in at',
  token_endpoint: 'The token endpoint',
  registration_endpoint: 'The registration endpoint',
  revocation_endpoint: 'The revocation endpoint',
  device_authorization_endpoint: 'The device authorization endpoint',
};

const LISTS = [
  'scopes_supported',
  'token_endpoint_auth_methods_supported',
  'code_challenge_methods_supported',
];

const FLAGS = ['client_id_metadata_document_supported', 'authorization_response_iss_parameter_supported'];
