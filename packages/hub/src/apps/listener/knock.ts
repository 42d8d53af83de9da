/** Who may speak to the proxy at all. Pure; tokens are looked at afterwards. */
import { isOwnHost, type Refusal } from '../../http/gate.ts';

export interface ProxyKnock {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly fetchSite: string | undefined;
}

export interface ProxyDoor {
  readonly port: number;
  /** The address that it listens on, as it is written in front of the port. */
  readonly address: string;
  /** Names that it is reached by besides those of this machine, with a port where it is not the usual one. */
  readonly hosts: readonly string[];
  /** Whether an app has said that its pages come from there. */
  isKnownOrigin(origin: string): boolean;
}

/** Undefined: come in, and show your token. */
export function checkProxyKnock(
  { host, origin, fetchSite }: ProxyKnock,
  door: ProxyDoor,
): Refusal | undefined {
  if (host === undefined || !isOurs(host.toLowerCase(), door))
    return refuse('The Host header names none of "proxy.publicUrl" and "proxy.allowedHosts".');
  if (origin !== undefined)
    return door.isKnownOrigin(origin) ? undefined : refuse('No app has this page among its "origins".');
  // A browser that hides where a page comes from gets nothing.
  if (fetchSite !== undefined && fetchSite !== 'none') return refuse('Requests from web pages are refused.');
  return undefined;
}

const isOurs = (host: string, { port, address, hosts }: ProxyDoor): boolean =>
  hosts.includes(host) || isOwnHost(host, port) || host === address || host === `${address}:${port}`;

const refuse = (reason: string): Refusal => ({ status: 403, reason });
