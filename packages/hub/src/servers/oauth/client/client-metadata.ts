/** Pincer's client metadata: for a registration, or as a document that a person hosts. */

export const REDIRECT_PATH = '/callback';

export const redirectUri = (port: number): string => `http://127.0.0.1:${port}${REDIRECT_PATH}`;

const CODE_GRANTS = ['authorization_code', 'refresh_token'] as const;
export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

const NAME = { client_name: 'Pincer', application_type: 'native' } as const;

/**
 * RFC 7591. Without `native`, an authorization server may refuse a redirect to this machine.
 * @param port absent for a sign-in with another device, which has no redirect.
 */
export const registrationBody = (port: number | undefined, authMethod: string): object =>
  port === undefined
    ? {
        ...NAME,
        redirect_uris: [],
        grant_types: [DEVICE_GRANT, 'refresh_token'],
        response_types: [],
        token_endpoint_auth_method: authMethod,
      }
    : {
        ...NAME,
        redirect_uris: [redirectUri(port)],
        grant_types: CODE_GRANTS,
        response_types: ['code'],
        token_endpoint_auth_method: authMethod,
      };

/**
 * A client id metadata document. Its address is the client id, byte for byte. A redirect to this machine matches with any
 * port (RFC 8252 §7.3).
 */
export const metadataDocument = (address: string): object => ({
  client_id: address,
  ...NAME,
  redirect_uris: [`http://127.0.0.1${REDIRECT_PATH}`],
  grant_types: CODE_GRANTS,
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
});
