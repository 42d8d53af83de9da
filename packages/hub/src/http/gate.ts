/** The checks before any route. Pure. Their order is part of the contract. */

export interface GateRequest {
  readonly remoteAddress: string | undefined;
  readonly origin: string | undefined;
  readonly fetchSite: string | undefined;
  readonly host: string | undefined;
  readonly port: number;
  /** True for `/mcp*`: the specification lets a client send the listener's own origin. */
  readonly allowsOwnOrigin: boolean;
}

export interface Refusal {
  readonly status: 403;
  readonly reason: string;
}

const refuse = (reason: string): Refusal => ({ status: 403, reason });

/** Allows only loopback, no browser, no DNS rebinding. Returns undefined if admitted; the token is checked next. */
export function checkGate(request: GateRequest): Refusal | undefined {
  if (!isLoopbackAddress(request.remoteAddress)) return refuse('Only this machine may connect.');
  if (request.origin !== undefined && !(request.allowsOwnOrigin && isOwnOrigin(request.origin, request.port)))
    return refuse('Requests from web pages are refused.');
  if (request.fetchSite !== undefined && request.fetchSite !== 'none')
    return refuse('Requests from web pages are refused.');
  if (!isOwnHost(request.host, request.port)) return refuse('The Host header does not name this listener.');
  return undefined;
}

export const isLoopbackAddress = (address: string | undefined): boolean =>
  address !== undefined && (address === '::1' || LOOPBACK.test(address));

const LOOPBACK = /^(?:::ffff:)?127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/;

/**
 * The listener serves no pages, so no page has this origin. A client that sends it names its target. A browser would add
 * `Sec-Fetch-Site` and be refused for that.
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
