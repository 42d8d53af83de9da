/** From a server to the authorization server that it trusts. */
import { PincerError } from '../../../core/errors.ts';
import { isLoopbackHost } from '../../../lib/loopback.ts';
import { reachOf } from '../../../lib/net-address.ts';
import { hostsOf, isLiteral, placeOf, type Bounds, isPlainAddress } from '../guard/bounds.ts';
import type { Answer, GuardedFetch } from '../guard/guarded-fetch.ts';
import type { Challenge } from './challenge.ts';
import {
  readServerMetadata,
  SERVER_METADATA,
  serverMetadataPlaces,
  type ServerMetadata,
} from './server-metadata.ts';
import { visible } from '../../../core/visible.ts';
import { neededTextIn, readObject, textsIn } from '../read-json.ts';
import { isScope } from '../scope-text.ts';

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

interface ResourceMetadata {
  /** As it is written: it is sent back so (RFC 8707). */
  readonly resource: string;
  readonly authorizationServers: readonly string[];
  readonly scopesSupported?: readonly string[];
}

/** What a server says of itself as a protected resource (RFC 9728), and where it says it. Pure. */
const RESOURCE_METADATA = 'The metadata of the server';

const WELL_KNOWN = '/.well-known/oauth-protected-resource';

/** Where to look, in this order: where the server has said, at its path, at its root. Nowhere else than at the server. */
export function resourceMetadataPlaces(server: URL, said: string | undefined): readonly string[] {
  const path = server.pathname.replace(/\/$/, '');
  const places = [
    ...(said === undefined ? [] : [ownPlace(server, said)]),
    ...(path === '' ? [] : [`${server.origin}${WELL_KNOWN}${path}${server.search}`]),
    `${server.origin}${WELL_KNOWN}`,
  ];
  return [...new Set(places)];
}

/** A foreign address could make Pincer ask for anything (server-side request forgery). */
function ownPlace(server: URL, said: string): string {
  const url = URL.parse(said);
  if (url?.origin === server.origin) return url.href;
  throw new PincerError(
    'SIGN_IN_FAILED',
    `The server points to metadata of another origin than its own (${visible(url?.origin ?? said)}). It was not asked for.`,
    { hint: 'Tell whoever runs the server: `resource_metadata` has to be an address of the server itself.' },
  );
}

export function readResourceMetadata(text: string, server: URL): ResourceMetadata {
  const fields = readObject(text, RESOURCE_METADATA);
  const resource = neededTextIn(fields, 'resource', RESOURCE_METADATA);
  if (!covers(resource, server))
    throw new PincerError(
      'SIGN_IN_FAILED',
      `The metadata of the server is that of another one: it speaks of ${visible(resource)}, not of ${server.origin}${server.pathname}.`,
      { hint: 'Is the url in the configuration the one that the server calls its own?' },
    );
  const scopesSupported = textsIn(fields, 'scopes_supported')?.filter(isScope);
  return {
    resource,
    authorizationServers: textsIn(fields, 'authorization_servers') ?? [],
    ...(scopesSupported !== undefined && { scopesSupported }),
  };
}

/** The server itself, or a path that it is below: many say one resource for all that they serve. */
function covers(resource: string, server: URL): boolean {
  const url = isPlainAddress(resource) ? URL.parse(resource) : null;
  if (url?.origin !== server.origin || url.hash !== '') return false;
  const folder = url.pathname.replace(/\/?$/, '/');
  return server.pathname.replace(/\/?$/, '/').startsWith(folder);
}

/** The name of a server that says none: its address (RFC 8707 §2). */
export function canonicalResource(server: URL): string {
  const { origin, pathname, search } = server;
  return pathname === '/' && search === '' ? origin : `${origin}${pathname}${search}`;
}
