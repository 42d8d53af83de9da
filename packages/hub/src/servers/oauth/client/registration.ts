/** Which client Pincer is at an authorization server: a configured one, its metadata document, or a registered one. */
import { dynamicClientRegistrationRequest } from 'oauth4webapi';
import { PincerError } from '../../../core/errors.ts';
import { neededTextIn, readObject, textIn } from '../read-json.ts';
import type { ServerMetadata } from '../discovery/server-metadata.ts';
import type { Client, ClientAuthMethod } from '../grant.ts';
import type { Bounds } from '../guard/bounds.ts';
import type { GuardedFetch } from '../guard/guarded-fetch.ts';
import { askEndpoint, tokenRefusal } from '../token/token-endpoint.ts';
import { redirectUri, registrationBody } from './client-metadata.ts';
import type { AuthSettings } from './settings.ts';

export interface RegistrationParts {
  readonly fetch: GuardedFetch;
  readonly bounds: Bounds;
  readonly server: string;
  readonly auth: AuthSettings;
  readonly metadata: ServerMetadata;
  /** The address at which the person hosts Pincer's metadata document. */
  readonly clientMetadataUrl?: string | undefined;
  /** The client of an earlier sign-in at the same issuer. */
  readonly known?: Client | undefined;
  /** The port of the redirect; absent if the flow has none. */
  readonly port?: number | undefined;
}

/** In the order of the MCP specification. */
export async function chooseClient(parts: RegistrationParts): Promise<Client> {
  const { auth, metadata, clientMetadataUrl, known, port } = parts;
  const redirect = port === undefined ? {} : { redirectPort: port };
  if (auth.clientId !== undefined) return { ...configured(auth, metadata), ...redirect };
  if (metadata.client_id_metadata_document_supported === true && clientMetadataUrl !== undefined)
    return { clientId: clientMetadataUrl, authMethod: 'none', how: 'metadata-document', ...redirect };
  // A registration holds for its redirect address only.
  if (known?.how === 'dynamic' && known.redirectPort === port) return known;
  if (metadata.registration_endpoint !== undefined) return register(parts);
  throw noRegistration(parts);
}

function configured({ clientId, clientSecret, privateKey }: AuthSettings, metadata: ServerMetadata): Client {
  const client = { clientId: clientId!, how: 'configured' } as const;
  if (privateKey !== undefined) return { ...client, authMethod: 'private_key_jwt' };
  if (clientSecret === undefined) return { ...client, authMethod: 'none' };
  return {
    ...client,
    clientSecret,
    authMethod: methodWithSecret(metadata.token_endpoint_auth_methods_supported),
  };
}

/** RFC 7591. Reads the answer itself: servers deviate from it (docs/adr/0052). */
async function register(parts: RegistrationParts): Promise<Client> {
  const { metadata, port } = parts;
  const supported = metadata.token_endpoint_auth_methods_supported;
  const what = 'The registration endpoint';
  const body = registrationBody(port, methodToRegister(supported));
  const { status, text } = await askEndpoint(parts, what, (options) =>
    dynamicClientRegistrationRequest(metadata, body, options),
  );
  if (status !== 200 && status !== 201) throw tokenRefusal(status, text);
  const fields = readObject(text, what);
  const clientSecret = textIn(fields, 'client_secret');
  const given = textIn(fields, 'token_endpoint_auth_method');
  const authMethod = methodGiven(given, clientSecret, supported);
  return {
    clientId: neededTextIn(fields, 'client_id', what),
    ...(clientSecret !== undefined && authMethod !== 'none' && { clientSecret }),
    authMethod,
    ...(port !== undefined && { redirectPort: port }),
    how: 'dynamic',
  };
}

function noRegistration({ server, metadata, clientMetadataUrl, port }: RegistrationParts): PincerError {
  const isHosted = metadata.client_id_metadata_document_supported === true && clientMetadataUrl === undefined;
  const redirect =
    port === undefined ? '' : ` with the redirect address ${redirectUri(port).replace(/:\d+/, '')}`;
  const other = isHosted
    ? ' Or host the document that `pincer client-metadata` prints, and set signIn.clientMetadataUrl to its address.'
    : '';
  return new PincerError('SIGN_IN_FAILED', `${metadata.issuer} does not let programs register themselves.`, {
    hint: `Register Pincer there${redirect}, then \`pincer set ${server} auth.clientId ID\`.${other}`,
  });
}

/** The authentication method of a client with a secret. RFC 8414 §2: the default is HTTP Basic. */
export function methodWithSecret(supported: readonly string[] | undefined): ClientAuthMethod {
  if (supported === undefined || supported.includes('client_secret_basic')) return 'client_secret_basic';
  return supported.includes('client_secret_post') ? 'client_secret_post' : 'client_secret_basic';
}

/** The method to register: a program on a person's machine keeps no secret, if the server allows that. */
export function methodToRegister(supported: readonly string[] | undefined): ClientAuthMethod {
  if (supported === undefined || supported.includes('none')) return 'none';
  return methodWithSecret(supported);
}

const KNOWN: readonly string[] = ['none', 'client_secret_basic', 'client_secret_post'];

/** The method after a registration: the server may have changed it. */
export function methodGiven(
  given: string | undefined,
  secret: string | undefined,
  supported: readonly string[] | undefined,
): ClientAuthMethod {
  if (given !== undefined && KNOWN.includes(given) && (given === 'none') === (secret === undefined))
    return given as ClientAuthMethod;
  if (secret === undefined) return 'none';
  return given === 'none' && (supported?.includes('none') ?? false) ? 'none' : methodWithSecret(supported);
}
