/** Which addresses a sign-in to a server may request. */
import { isIP } from 'node:net';
import { PincerError } from '../../../core/errors.ts';
import { visible } from '../../../core/visible.ts';
import { isSecure } from '../../../lib/loopback.ts';
import type { Grant } from '../grant.ts';
import { reachOf } from '../../../lib/net-address.ts';

export interface Bounds {
  /** The server is in a private network, so the addresses that it names may be, too. */
  readonly allowsPrivate: boolean;
  /** Hosts from the configuration. They may be private. */
  readonly named: ReadonlySet<string>;
}

/** Only characters of RFC 3986. Parsers drop others, and a person would read another address than the one requested. */
export const isPlainAddress = (text: string): boolean => /^[\x21-\x7e]+$/.test(text);

/** Throws if the address may not be requested. What a name resolves to is checked on connecting. */
export function checkedUrl(address: string | URL, bounds: Bounds, what: string): URL {
  const url = address instanceof URL ? address : isPlainAddress(address) ? URL.parse(address) : null;
  if (url === null) throw refused(what, 'is not a valid URL');
  if (url.username !== '' || url.password !== '')
    throw refused(what, 'contains a user name or a password', url);
  if (!isSecure(url)) throw refused(what, 'is not https', url);
  const { hostname } = url;
  if (isLiteral(hostname) && !allows(bounds, hostname, hostname)) throw refusedAddress(what, url);
  if (isLocalName(hostname) && !allows(bounds, hostname, '127.0.0.1')) throw refusedAddress(what, url);
  return url;
}

/** Whether a host may be requested at the IP address that it resolved to. */
export function allows({ allowsPrivate, named }: Bounds, host: string, address: string): boolean {
  const reach = reachOf(address);
  return reach === 'public' || (reach === 'private' && (allowsPrivate || named.has(host)));
}

export const isLiteral = (host: string): boolean => isIP(host.replace(/^\[|\]$/g, '')) !== 0;

const isLocalName = (host: string): boolean => /(?:^|\.)localhost\.?$/.test(host);

export const hostsOf = (...urls: readonly (string | URL | undefined)[]): ReadonlySet<string> =>
  new Set(urls.flatMap((url) => (url === undefined ? [] : [new URL(url).hostname])));

/** For requests to the endpoints of a grant: they were checked at the sign-in. */
export const boundsOfGrant = ({ tokenEndpoint, revocationEndpoint }: Grant): Bounds => ({
  allowsPrivate: false,
  named: hostsOf(tokenEndpoint, revocationEndpoint),
});

export const refusedAddress = (what: string, url: URL): PincerError =>
  refused(what, 'is in a private network, and the server is not', url, PRIVATE_HINT);

const PRIVATE_HINT =
  'If that is right, put the address of the authorization server into auth.authorizationServerUrl of the server.';

const refused = (what: string, why: string, url?: URL, hint?: string): PincerError =>
  new PincerError(
    'SIGN_IN_FAILED',
    `${what} ${why}${url === undefined ? '' : `: ${visible(shown(url))}`}. It was not requested.`,
    { hint },
  );

/** Without the query, which may hold a secret. */
const shown = (url: URL): string =>
  /^https?:$/.test(url.protocol) ? `${url.origin}${url.pathname}` : url.protocol;
