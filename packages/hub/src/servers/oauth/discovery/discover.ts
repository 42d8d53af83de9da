/** Discovery: from an MCP server to the authorization server that it trusts (RFC 9728, RFC 8414). */
import { PincerError } from '../../../core/errors.ts';
import { isLoopbackHost } from '../../../lib/loopback.ts';
import { reachOf } from '../../../lib/net-address.ts';
import { checkedUrl, hostsOf, isLiteral, isPlainAddress, type Bounds } from '../guard/bounds.ts';
import type { Answer, GuardedFetch } from '../guard/guarded-fetch.ts';
import type { Challenge } from './challenge.ts';
import {
  readServerMetadata,
  SERVER_METADATA,
  serverMetadataUrls,
  type ServerMetadata,
} from './server-metadata.ts';
import { visible } from '../../../core/visible.ts';
import { neededTextIn, readObject, textsIn } from '../read-json.ts';
import { isScope } from '../scopes.ts';

export interface DiscoverParts {
  readonly fetch: GuardedFetch;
  readonly url: URL;
  readonly challenge?: Challenge | undefined;
  /** From the configuration; it wins over the server's metadata. */
  readonly authorizationServerUrl?: string | undefined;
  /** The issuer of the last sign-in; it is kept if the server still lists it. */
  readonly knownIssuer?: string | undefined;
}

export interface Discovered {
  /** The resource indicator (RFC 8707). */
  readonly resource: string;
  readonly scopesSupported?: readonly string[] | undefined;
  readonly authorizationServer: ServerMetadata;
  /** For the requests that follow. */
  readonly bounds: Bounds;
}

export async function discover(parts: DiscoverParts): Promise<Discovered> {
  const { fetch, url, challenge, authorizationServerUrl } = parts;
  const named = hostsOf(url, authorizationServerUrl);
  const own: Bounds = { allowsPrivate: isPrivateHost(url.hostname), named };
  const found = await findResource(fetch, url, own, challenge?.resourceMetadata);
  // A server that answers from a private address, with a certificate for its name, is private.
  const bounds: Bounds = { allowsPrivate: own.allowsPrivate || found?.isPrivate === true, named };
  const { place, issuers } = chooseIssuer(parts, found?.metadata);
  return {
    resource: found?.metadata.resource ?? canonicalResource(url),
    scopesSupported: found?.metadata.scopesSupported,
    authorizationServer: await findServer(
      fetch,
      // The configuration may spell a host in any script.
      checkedUrl(
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

/** Returns undefined if the server has no metadata, as those that know MCP of 2025-03-26 only. */
async function findResource(
  fetch: GuardedFetch,
  url: URL,
  bounds: Bounds,
  announced: string | undefined,
): Promise<FoundResource | undefined> {
  for (const place of resourceMetadataUrls(url, announced)) {
    const answer = await fetch(place, bounds, { what: RESOURCE_METADATA });
    if (isDocument(answer))
      return { metadata: readResourceMetadata(answer.text, url), isPrivate: answer.isFromPrivate };
  }
  return undefined;
}

interface Choice {
  readonly place: string;
  /** The issuers that its metadata may name. */
  readonly issuers: readonly string[];
}

function chooseIssuer(
  { url, authorizationServerUrl, knownIssuer }: DiscoverParts,
  metadata: ResourceMetadata | undefined,
): Choice {
  // Accept the configured address with or without a trailing slash.
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
  for (const place of serverMetadataUrls(issuer)) {
    const answer = await fetch(place, bounds, { what: SERVER_METADATA });
    if (isDocument(answer)) return readServerMetadata(answer.text, issuers, bounds);
  }
  throw new PincerError(
    'SIGN_IN_FAILED',
    `${issuer.origin} has no metadata of an authorization server, so Pincer cannot sign in.`,
    {
      hint: 'If the server uses an API key, set apiKey. If it signs in elsewhere, set auth.authorizationServerUrl.',
    },
  );
}

/** Some servers answer every path with their web page. */
const isDocument = ({ status, text }: Answer): boolean => status === 200 && text.trimStart().startsWith('{');

interface ResourceMetadata {
  /** As the server spells it: it is sent like that (RFC 8707). */
  readonly resource: string;
  readonly authorizationServers: readonly string[];
  readonly scopesSupported?: readonly string[];
}

const RESOURCE_METADATA = 'The metadata of the server';

const WELL_KNOWN = '/.well-known/oauth-protected-resource';

/** In this order: the announced address, at the server's path, at its root. All are at the server's origin. */
export function resourceMetadataUrls(server: URL, announced: string | undefined): readonly string[] {
  const path = server.pathname.replace(/\/$/, '');
  const places = [
    ...(announced === undefined ? [] : [ownUrl(server, announced)]),
    ...(path === '' ? [] : [`${server.origin}${WELL_KNOWN}${path}${server.search}`]),
    `${server.origin}${WELL_KNOWN}`,
  ];
  return [...new Set(places)];
}

/** Refuses another origin: it could make Pincer request anything (server-side request forgery). */
function ownUrl(server: URL, announced: string): string {
  const url = URL.parse(announced);
  if (url?.origin === server.origin) return url.href;
  throw new PincerError(
    'SIGN_IN_FAILED',
    `The server points to metadata of another origin than its own (${visible(url?.origin ?? announced)}). It was not requested.`,
    { hint: 'Tell the operator of the server: `resource_metadata` must be an address of the server itself.' },
  );
}

export function readResourceMetadata(text: string, server: URL): ResourceMetadata {
  const fields = readObject(text, RESOURCE_METADATA);
  const resource = neededTextIn(fields, 'resource', RESOURCE_METADATA);
  if (!covers(resource, server))
    throw new PincerError(
      'SIGN_IN_FAILED',
      `The metadata of the server describes another one: ${visible(resource)}, not ${server.origin}${server.pathname}.`,
      { hint: 'Check that the configured url is the one in the server’s documentation.' },
    );
  const scopesSupported = textsIn(fields, 'scopes_supported')?.filter(isScope);
  return {
    resource,
    authorizationServers: textsIn(fields, 'authorization_servers') ?? [],
    ...(scopesSupported !== undefined && { scopesSupported }),
  };
}

/** The resource is the server's address or a parent of it: many servers have one resource for all paths. */
function covers(resource: string, server: URL): boolean {
  const url = isPlainAddress(resource) ? URL.parse(resource) : null;
  if (url?.origin !== server.origin || url.hash !== '') return false;
  const folder = url.pathname.replace(/\/?$/, '/');
  return server.pathname.replace(/\/?$/, '/').startsWith(folder);
}

/** The resource indicator of a server without metadata: its address (RFC 8707 §2). */
export function canonicalResource(server: URL): string {
  const { origin, pathname, search } = server;
  return pathname === '/' && search === '' ? origin : `${origin}${pathname}${search}`;
}
