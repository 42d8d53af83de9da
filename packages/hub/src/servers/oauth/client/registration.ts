/** Finds out who Pincer is to an authorization server: pre-registered, by a document, or by registering. */
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
  /** Where the person hosts Pincer's metadata document. */
  readonly clientMetadataUrl?: string | undefined;
  /** What an earlier sign-in at the same issuer has registered. */
  readonly known?: Client | undefined;
  /** The port that the browser is sent back to; absent: it is not. */
  readonly port?: number | undefined;
}

/** In the order of the specification. */
export async function chooseClient(parts: RegistrationParts): Promise<Client> {
  const { auth, metadata, clientMetadataUrl, known, port } = parts;
  const redirect = port === undefined ? {} : { redirectPort: port };
  if (auth.clientId !== undefined) return { ...configured(auth, metadata), ...redirect };
  if (metadata.client_id_metadata_document_supported === true && clientMetadataUrl !== undefined)
    return { clientId: clientMetadataUrl, authMethod: 'none', how: 'metadata-document', ...redirect };
  // A registration is for the redirect that it named.
  if (known?.how === 'dynamic' && known.redirectPort === port) return known;
  if (metadata.registration_endpoint !== undefined) return register(parts);
  throw noWayIn(parts);
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

/** RFC 7591. */
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

function noWayIn({ server, metadata, clientMetadataUrl, port }: RegistrationParts): PincerError {
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

/**
 * How Pincer proves to a token endpoint that it is the client. Pure. With a secret, as the authorization server
 * likes it best; RFC 8414 §2: if it says nothing, HTTP Basic.
 */
export function methodWithSecret(supported: readonly string[] | undefined): ClientAuthMethod {
  if (supported === undefined || supported.includes('client_secret_basic')) return 'client_secret_basic';
  return supported.includes('client_secret_post') ? 'client_secret_post' : 'client_secret_basic';
}

/** What to ask for when Pincer registers: a program on a person's machine keeps no secret, if that is let pass. */
export function methodToRegister(supported: readonly string[] | undefined): ClientAuthMethod {
  if (supported === undefined || supported.includes('none')) return 'none';
  return methodWithSecret(supported);
}

const KNOWN: readonly string[] = ['none', 'client_secret_basic', 'client_secret_post'];

/** What it was given: the authorization server has the last word. */
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
