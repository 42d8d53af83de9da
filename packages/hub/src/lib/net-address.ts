/**
 * Where an IP address leads. ipaddr.js knows the special networks; their meaning for a page or a sign-in is decided here
 * (docs/adr/0051).
 */
import { isIP } from 'node:net';
import type { NetworkInterfaceInfo } from 'node:os';
import ipaddr from 'ipaddr.js';

type Address = ReturnType<typeof ipaddr.parse>;

/**
 * `never`: a person cannot sign in to a server there. Link-local (where clouds keep their credentials), multicast,
 * unspecified, reserved, and everything that ipaddr.js calls special and that is not listed below.
 */
export type Reach = 'public' | 'private' | 'never';

/** Ranges in which a person may run a server. Proxies that hand out made-up addresses take them from 198.18.0.0/15. */
const PRIVATE_RANGES: ReadonlySet<string> = new Set([
  'loopback',
  'private',
  'carrierGradeNat',
  'uniqueLocal',
]);
const PRIVATE_NETWORKS = [
  '192.0.0.0/24',
  '192.0.2.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '2001:db8::/32',
].map((network) => ipaddr.parseCIDR(network));

/** Ranges that the local router does not forward. Unlike in `Reach`, link-local belongs here. */
const LOCAL_RANGES: ReadonlySet<string> = new Set(['private', 'carrierGradeNat', 'linkLocal', 'uniqueLocal']);

/** The only part of IPv6 assigned for public use. ipaddr.js calls the rest unicast too. */
const ASSIGNED = ipaddr.parseCIDR('2000::/3');

/** IPv6 addresses that carry an IPv4 address in their last 32 bits: mapped, translated, NAT64. */
const CARRIES_IPV4: ReadonlySet<string> = new Set(['ipv4Mapped', 'rfc6145', 'rfc6052']);

/** Accepts an address as the system or a URL writes it. Everything else is `never`. */
export function reachOf(address: string): Reach {
  const found = parse(address.replace(/^\[|\]$/g, '').replace(/%.*$/, ''));
  const inner = found && innerAddress(found);
  if (inner === undefined) return 'never';
  if (isPublic(inner)) return 'public';
  return PRIVATE_RANGES.has(inner.range()) || PRIVATE_NETWORKS.some((network) => isIn(inner, network))
    ? 'private'
    : 'never';
}

/**
 * Accepts an address as the system writes it. Stricter than `reachOf`: an IPv6 address that carries an IPv4 address is
 * never public, because a page can choose any of them.
 */
export function isPublicAddress(address: string): boolean {
  const found = address.includes('%') ? undefined : parse(address);
  return found !== undefined && isPublic(found);
}

/** Whether an IP address belongs to a private or link-local network. False for loopback and for names. */
export function isLocalNetworkAddress(address: string): boolean {
  const found = parse(address);
  return found !== undefined && LOCAL_RANGES.has(found.range());
}

export type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;

/** Shortest prefixes that count: a VPN may claim the whole Internet as its network. */
const WIDEST_NETWORK = { IPv4: 8, IPv6: 32 };

/**
 * Whether an address is in a network that this machine belongs to. With IPv6, addresses at home are public, including
 * this machine's own. Only the router keeps others away from them.
 */
export function isNeighbour(address: string, interfaces: Interfaces): boolean {
  const found = parse(address);
  return Object.values(interfaces)
    .flatMap((each) => each ?? [])
    .some(({ address: own, cidr, family }) => {
      const bits = Number(cidr?.split('/')[1]);
      const at = bits >= WIDEST_NETWORK[family] ? parse(own) : undefined;
      return found !== undefined && at !== undefined && isIn(found, [at, bits]);
    });
}

/** ipaddr.js also reads `127.1`, `0x7f.1` and the like. Neither the system nor a parsed URL writes them. */
const parse = (text: string): Address | undefined =>
  isIP(text) !== 0 && ipaddr.isValid(text) ? ipaddr.parse(text) : undefined;

const isPublic = (address: Address): boolean =>
  address.range() === 'unicast' && (address.kind() === 'ipv4' || isIn(address, ASSIGNED));

const isIn = (address: Address, [network, bits]: [Address, number]): boolean =>
  address.kind() === network.kind() && address.match(network, bits);

/** The IPv4 address inside an IPv6 address, else the address itself. Undefined if its position is unknown. */
function innerAddress(address: Address): Address | undefined {
  if (!('parts' in address)) return address;
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, high = 0, low = 0] = address.parts;
  const range = address.range();
  if (range === '6to4') return ipv4(b, c);
  // The length of a local NAT64 prefix (RFC 8215) is unknown. If these bits are not zero, it may be a shorter one.
  if (range === 'rfc6052' && (e !== 0 || f !== 0)) return undefined;
  if (CARRIES_IPV4.has(range)) return ipv4(high, low);
  // IPv4-compatible, RFC 4291, section 2.5.5.1. `::` and `::1` are excluded.
  const isCompatible = [a, b, c, d, e, f].every((part) => part === 0) && (high !== 0 || low > 1);
  return isCompatible ? ipv4(high, low) : address;
}

const ipv4 = (high: number, low: number): Address =>
  new ipaddr.IPv4([high >> 8, high & 255, low >> 8, low & 255]);
