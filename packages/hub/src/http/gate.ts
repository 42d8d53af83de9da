/** Who may speak at all. Pure; the order is part of the contract. */

export interface Knock {
  readonly remoteAddress: string | undefined;
  readonly origin: string | undefined;
  readonly fetchSite: string | undefined;
  readonly host: string | undefined;
  readonly port: number;
  /** `/mcp*`: the specification lets a client name the listener's own origin. */
  readonly allowsOwnOrigin: boolean;
}

export interface Refusal {
  readonly status: 403;
  readonly reason: string;
}

const refuse = (reason: string): Refusal => ({ status: 403, reason });

/** Loopback, no browser, no rebinding. Undefined: come in, and show your token. */
export function checkKnock(knock: Knock): Refusal | undefined {
  if (!isLoopbackAddress(knock.remoteAddress)) return refuse('Only this machine may connect.');
  if (knock.origin !== undefined && !(knock.allowsOwnOrigin && isOwnOrigin(knock.origin, knock.port)))
    return refuse('Requests from web pages are refused.');
  if (knock.fetchSite !== undefined && knock.fetchSite !== 'none')
    return refuse('Requests from web pages are refused.');
  if (!isOwnHost(knock.host, knock.port)) return refuse('The Host header does not name this listener.');
  return undefined;
}

export const isLoopbackAddress = (address: string | undefined): boolean =>
  address !== undefined && (address === '::1' || LOOPBACK.test(address));

const LOOPBACK = /^(?:::ffff:)?127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/;

/**
 * No page is served here, so that no page has this origin; a client that names it says where it is going. A browser
 * would add `Sec-Fetch-Site`, and be refused by that.
 */
const isOwnOrigin = (origin: string, port: number): boolean =>
  OWN_HOSTS.some((own) => origin === `http://${own}:${port}`);

const OWN_HOSTS = ['127.0.0.1', 'localhost', '[::1]'];

const ownHosts = new Map<number, ReadonlySet<string>>();

export function isOwnHost(host: string | undefined, port: number): boolean {
  let hosts = ownHosts.get(port);
  if (hosts === undefined) {
    hosts = new Set(OWN_HOSTS.flatMap((own) => [own, `${own}:${port}`]));
    ownHosts.set(port, hosts);
  }
  return host !== undefined && hosts.has(host);
}
