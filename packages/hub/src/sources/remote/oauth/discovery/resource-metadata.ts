/** What a server says of itself as a protected resource (RFC 9728), and where it says it. Pure. */
import { PincerError } from '../../../../core/errors.ts';
import { visible } from '../../../../core/visible.ts';
import { isPlainAddress } from '../guard/bounds.ts';
import { neededTextIn, readObject, textsIn } from '../read-json.ts';
import { isScope } from '../scope-text.ts';

export interface ResourceMetadata {
  /** As it is written: it is sent back so (RFC 8707). */
  readonly resource: string;
  readonly authorizationServers: readonly string[];
  readonly scopesSupported?: readonly string[];
}

export const RESOURCE_METADATA = 'The metadata of the server';

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
