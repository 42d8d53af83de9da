/** Finds out who Pincer is to an authorization server: pre-registered, by a document, or by registering. */
import { PincerError } from '../../../../core/errors.ts';
import { neededTextIn, readObject, textIn } from '../read-json.ts';
import type { ServerMetadata } from '../discovery/server-metadata.ts';
import type { Client } from '../grant.ts';
import type { Bounds } from '../guard/bounds.ts';
import type { GuardedFetch } from '../guard/guarded-fetch.ts';
import { tokenRefusal } from '../token/token-answer.ts';
import { methodGiven, methodToRegister, methodWithSecret } from './auth-method.ts';
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
  if (metadata.takesMetadataDocuments && clientMetadataUrl !== undefined)
    return { clientId: clientMetadataUrl, authMethod: 'none', how: 'metadata-document', ...redirect };
  // A registration is for the redirect that it named.
  if (known?.how === 'dynamic' && known.redirectPort === port) return known;
  if (metadata.registrationEndpoint !== undefined) return register(parts, metadata.registrationEndpoint);
  throw noWayIn(parts);
}

function configured({ clientId, clientSecret, privateKey }: AuthSettings, metadata: ServerMetadata): Client {
  const client = { clientId: clientId!, how: 'configured' } as const;
  if (privateKey !== undefined) return { ...client, authMethod: 'private_key_jwt' };
  if (clientSecret === undefined) return { ...client, authMethod: 'none' };
  return { ...client, clientSecret, authMethod: methodWithSecret(metadata.authMethods) };
}

/** RFC 7591. */
async function register(parts: RegistrationParts, endpoint: string): Promise<Client> {
  const { fetch, bounds, metadata, port } = parts;
  const what = 'The registration endpoint';
  const { status, text } = await fetch(endpoint, bounds, {
    what,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(registrationBody(port, methodToRegister(metadata.authMethods))),
  });
  if (status !== 200 && status !== 201) throw tokenRefusal(status, text);
  const fields = readObject(text, what);
  const clientSecret = textIn(fields, 'client_secret');
  const given = textIn(fields, 'token_endpoint_auth_method');
  const authMethod = methodGiven(given, clientSecret, metadata.authMethods);
  return {
    clientId: neededTextIn(fields, 'client_id', what),
    ...(clientSecret !== undefined && authMethod !== 'none' && { clientSecret }),
    authMethod,
    ...(port !== undefined && { redirectPort: port }),
    how: 'dynamic',
  };
}

function noWayIn({ server, metadata, clientMetadataUrl, port }: RegistrationParts): PincerError {
  const isHosted = metadata.takesMetadataDocuments && clientMetadataUrl === undefined;
  const redirect =
    port === undefined ? '' : ` with the redirect address ${redirectUri(port).replace(/:\d+/, '')}`;
  const other = isHosted
    ? ' Or host the document that `pincer client-metadata` prints, and set signIn.clientMetadataUrl to its address.'
    : '';
  return new PincerError('SIGN_IN_FAILED', `${metadata.issuer} does not let programs register themselves.`, {
    hint: `Register Pincer there${redirect}, then \`pincer set ${server} auth.clientId ID\`.${other}`,
  });
}
