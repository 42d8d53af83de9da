/** Whether an IP address leads into the open: not to this machine, not into its network, to no cloud's own services. Pure. */
import { BlockList, isIP } from 'node:net';
import type { NetworkInterfaceInfo } from 'node:os';

const CLOSED_V4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const;

/** Of 2000::/3, which is all that leads into the open: Teredo and 6to4 carry an IPv4 address in disguise. */
const CLOSED_V6 = [
  ['2001::', 32],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const;

const closed = new BlockList();
for (const [network, bits] of CLOSED_V4) closed.addSubnet(network, bits, 'ipv4');
for (const [network, bits] of CLOSED_V6) closed.addSubnet(network, bits, 'ipv6');
const open = new BlockList();
open.addSubnet('2000::', 3, 'ipv6');

/** Of an address as the system writes it; anything else is not public. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !closed.check(address, 'ipv4');
  return version === 6 && open.check(address, 'ipv6') && !closed.check(address, 'ipv6');
}

export type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;

/** Shortest prefixes that count: a VPN may claim the whole Internet as its network. */
const WIDEST_NETWORK = { IPv4: 8, IPv6: 32 };

/**
 * Whether an address is in a network that this machine is part of. With IPv6, addresses at home are public ones, this
 * machine's own among them, and only the router keeps others away from them.
 */
export function isNeighbour(address: string, interfaces: Interfaces): boolean {
  const networks = new BlockList();
  for (const each of Object.values(interfaces).flatMap((found) => found ?? [])) {
    const bits = Number(each.cidr?.split('/')[1]);
    if (bits >= WIDEST_NETWORK[each.family])
      networks.addSubnet(each.address, bits, each.family === 'IPv4' ? 'ipv4' : 'ipv6');
  }
  return networks.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
}
