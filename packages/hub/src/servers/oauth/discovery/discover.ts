/** From a server to the authorization server that it trusts. */
import { PincerError } from '../../../../core/errors.ts';
import { isLoopbackHost } from '../../../../core/loopback.ts';
import { reachOf } from '../guard/address.ts';
import { hostsOf, isLiteral, placeOf, type Bounds } from '../guard/bounds.ts';
import type { Answer, GuardedFetch } from '../guard/guarded-fetch.ts';
import type { Challenge } from './challenge.ts';
import {
  canonicalResource,
  readResourceMetadata,
  RESOURCE_METADATA,
  resourceMetadataPlaces,
  type ResourceMetadata,
} from './resource-metadata.ts';
import {
  readServerMetadata,
  SERVER_METADATA,
  serverMetadataPlaces,
  type ServerMetadata,
} from './server-metadata.ts';

export interface DiscoverParts {
  readonly fetch: GuardedFetch;
  readonly url: URL;
  readonly challenge?: Challenge | undefined;
  /** As the person has written it: it wins over what the server says. */
  readonly authorizationServerUrl?: string | undefined;
  /** Where somebody has signed in before: it is kept to if the server still trusts it. */
  readonly knownIssuer?: string | undefined;
}

export interface Discovered {
  /** What tokens are for (RFC 8707). */
  readonly resource: string;
  readonly scopesSupported?: readonly string[] | undefined;
  readonly authorizationServer: ServerMetadata;
  /** For all that is asked for later on. */
  readonly bounds: Bounds;
}

export async function discover(parts: DiscoverParts): Promise<Discovered> {
  const { fetch, url, challenge, authorizationServerUrl } = parts;
  const named = hostsOf(url, authorizationServerUrl);
  const own: Bounds = { allowsPrivate: isPrivateHost(url.hostname), named };
  const found = await findResource(fetch, url, own, challenge?.resourceMetadata);
  // A name that answers, with its certificate, from inside a private network is inside.
  const bounds: Bounds = { allowsPrivate: own.allowsPrivate || found?.isPrivate === true, named };
  const { place, issuers } = chooseIssuer(parts, found?.metadata);
  return {
    resource: found?.metadata.resource ?? canonicalResource(url),
    scopesSupported: found?.metadata.scopesSupported,
    authorizationServer: await findServer(
      fetch,
      // What the person has written may be written in any script.
      placeOf(
        authorizationServerUrl === undefined ? place : new URL(place),
        bounds,
        'The authorization server',
      ),
      issuers,
      bounds,
    ),
    bounds,
  };
}

const isPrivateHost = (host: string): boolean =>
  isLoopbackHost(host) || (isLiteral(host) && reachOf(host) === 'private');

interface FoundResource {
  readonly metadata: ResourceMetadata;
  readonly isPrivate: boolean;
}

/** Undefined: the server says nothing of itself, as those do that know MCP of 2025-03-26 only. */
async function findResource(
  fetch: GuardedFetch,
  url: URL,
  bounds: Bounds,
  said: string | undefined,
): Promise<FoundResource | undefined> {
  for (const place of resourceMetadataPlaces(url, said)) {
    const answer = await fetch(place, bounds, { what: RESOURCE_METADATA });
    if (isDocument(answer))
      return { metadata: readResourceMetadata(answer.text, url), isPrivate: answer.isFromPrivate };
  }
  return undefined;
}

interface Choice {
  readonly place: string;
  /** As who it may speak. */
  readonly issuers: readonly string[];
}

function chooseIssuer(
  { url, authorizationServerUrl, knownIssuer }: DiscoverParts,
  metadata: ResourceMetadata | undefined,
): Choice {
  // A person does not count slashes.
  if (authorizationServerUrl !== undefined) return withOrWithoutSlash(authorizationServerUrl);
  const offered = metadata?.authorizationServers ?? [];
  const place = offered.find((issuer) => issuer === knownIssuer) ?? offered[0];
  return place === undefined ? withOrWithoutSlash(url.origin) : { place, issuers: [place] };
}

function withOrWithoutSlash(place: string): Choice {
  const plain = place.replace(/\/$/, '');
  return { place, issuers: [plain, `${plain}/`] };
}

async function findServer(
  fetch: GuardedFetch,
  issuer: URL,
  issuers: readonly string[],
  bounds: Bounds,
): Promise<ServerMetadata> {
  for (const place of serverMetadataPlaces(issuer)) {
    const answer = await fetch(place, bounds, { what: SERVER_METADATA });
    if (isDocument(answer)) return readServerMetadata(answer.text, issuers, bounds);
  }
  throw new PincerError(
    'SIGN_IN_FAILED',
    `${issuer.origin} does not say how to sign in: it has no metadata of an authorization server.`,
    {
      hint: 'If the server uses an API key, set apiKey. If it signs in elsewhere, set auth.authorizationServerUrl.',
    },
  );
}

/** Some servers show their page at every address. */
const isDocument = ({ status, text }: Answer): boolean => status === 200 && text.trimStart().startsWith('{');
