/** Where an IP address leads: into the open, into a private network, or to a place that nobody signs in at. Pure. */
import { BlockList, isIP, isIPv6 } from 'node:net';

/** `never`: link-local (where clouds keep their credentials), multicast, unspecified, reserved. */
export type Reach = 'public' | 'private' | 'never';

const PRIVATE = new BlockList();
for (const [network, bits] of [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
] as const)
  PRIVATE.addSubnet(network, bits, 'ipv4');
PRIVATE.addAddress('::1', 'ipv6');
for (const [network, bits] of [
  ['fc00::', 7],
  ['2001:db8::', 32],
] as const)
  PRIVATE.addSubnet(network, bits, 'ipv6');

const NEVER = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['169.254.0.0', 16],
  ['192.88.99.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  NEVER.addSubnet(network, bits, 'ipv4');
NEVER.addAddress('::', 'ipv6');
for (const [network, bits] of [
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
  // Teredo: it carries an IPv4 address in disguise.
  ['2001::', 32],
  ['3fff::', 20],
] as const)
  NEVER.addSubnet(network, bits, 'ipv6');

/** Of IPv6, all that has been given out to lead into the open. */
const OPEN = new BlockList();
OPEN.addSubnet('2000::', 3, 'ipv6');

/** Of an address as the system or a URL writes it; anything else is `never`. */
export function reachOf(address: string): Reach {
  const plain = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  if (isIP(plain) === 0) return 'never';
  const inner = innerAddress(plain) ?? plain;
  const family = isIPv6(inner) ? 'ipv6' : 'ipv4';
  if (NEVER.check(inner, family)) return 'never';
  if (PRIVATE.check(inner, family)) return 'private';
  return family === 'ipv4' || OPEN.check(inner, family) ? 'public' : 'never';
}

/** The IPv4 address that an IPv6 address carries: mapped, translated, compatible, NAT64, 6to4. */
function innerAddress(address: string): string | undefined {
  if (!isIPv6(address)) return undefined;
  const groups = groupsOf(address);
  const [a = 0, b = 0] = groups;
  const head = groups.slice(0, 6);
  if (a === 0x2002) return dotted(b, groups[2]!);
  const isMapped =
    head.slice(0, 4).every((group) => group === 0) &&
    ['0,0', '0,65535', '65535,0'].includes(head.slice(4).join(','));
  const isTranslated = a === 0x64 && b === 0xff_9b;
  if (!isMapped && !isTranslated) return undefined;
  const [high, low] = [groups[6]!, groups[7]!];
  // `::` and `::1` are addresses of their own.
  return high === 0 && low <= 1 && head.every((group) => group === 0) ? undefined : dotted(high, low);
}

const dotted = (high: number, low: number): string => [high >> 8, high & 255, low >> 8, low & 255].join('.');

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): number[] {
  const [, dots] = /(?:^|:)(\d+\.\d+\.\d+\.\d+)$/.exec(address) ?? [];
  const text =
    dots === undefined ? address : address.slice(0, -dots.length) + hexPair(dots.split('.').map(Number));
  const [before = '', after] = text.split('::');
  const left = numbersOf(before);
  if (after === undefined) return left;
  const right = numbersOf(after);
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => 0), ...right];
}

const numbersOf = (text: string): number[] =>
  text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));

const hexPair = ([a = 0, b = 0, c = 0, d = 0]: readonly number[]): string =>
  `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
