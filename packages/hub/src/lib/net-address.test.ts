import { describe, expect, it } from 'vitest';
import {
  isLocalNetworkAddress,
  isNeighbour,
  isPublicAddress,
  reachOf,
  type Interfaces,
} from './net-address.ts';

const PRIVATE = [
  '127.0.0.1',
  '127.255.255.255',
  '10.1.2.3',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '100.64.0.1',
  '::1',
  'fd00::1',
  'fc00:1::2',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b::10.0.0.1',
  '2002:7f00:1::',
  '2002:c0a8:101::1',
  '[::1]',
];
const NEVER = [
  '169.254.169.254',
  '0.0.0.0',
  '::',
  'fe80::1',
  'fe80::1%eth0',
  '::ffff:169.254.169.254',
  '64:ff9b::a9fe:a9fe',
  '2002:a9fe:a9fe::',
  '::ffff:0:169.254.169.254',
  '2001:0:4136:e378:8000:63bf:5601:5601',
  '224.0.0.1',
  'ff02::1',
  '192.88.99.1',
  '3fff::1',
  '4000::1',
  '100::1',
  '255.255.255.255',
  'localhost',
  '127.evil.com',
  '',
];
/** Special to ipaddr.js, but not in the tables used here. */
const NEWLY_SPECIAL = [
  '192.175.48.1',
  '192.31.196.1',
  '192.52.193.1',
  '2001:1::1',
  '2001:2::1',
  '2001:3::1',
  '2001:4:112::1',
  '2620:4f:8000::1',
  '2001:10::1',
  '2001:20::1',
  '2001:30::1',
];
/** NAT64 without a certain position of the IPv4 address: a shorter prefix would turn the first one into 127.0.0.1. */
const UNCERTAIN_NAT64 = ['64:ff9b:1:7f00:0:100:808:808', '64:ff9b:2::808:808', '64:ff9b::1:0:808:808'];
/** Not public, but a person may run a server there. Proxies hand out addresses of 198.18.0.0/15. */
const RESERVED_AND_PRIVATE = [
  '192.0.0.1',
  '192.0.2.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '2001:db8::1',
  '64:ff9b:1::a00:1',
];
const PUBLIC = ['1.1.1.1', '8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '64:ff9b::808:808'];

describe('reachOf', () => {
  it.each(PRIVATE)('%s is private', (address) => expect(reachOf(address)).toBe('private'));
  it.each(NEVER)('%s is never a place to sign in', (address) => expect(reachOf(address)).toBe('never'));
  it.each(PUBLIC)('%s is public', (address) => expect(reachOf(address)).toBe('public'));
  it.each(NEWLY_SPECIAL)('%s is never public', (address) => {
    expect(reachOf(address)).toBe('never');
    expect(isPublicAddress(address)).toBe(false);
  });
  it.each(UNCERTAIN_NAT64)('%s is not treated as public', (address) => {
    expect(reachOf(address)).toBe('never');
    expect(isPublicAddress(address)).toBe(false);
  });
  it.each(RESERVED_AND_PRIVATE)('%s counts as private', (address) => {
    expect(reachOf(address)).toBe('private');
    expect(isPublicAddress(address)).toBe(false);
  });
  it.each(['127.1', '0x7f.0.0.1', '0177.0.0.1', '2130706433', '1.1.1.1 ', '::1::'])(
    '%j is not an address',
    (address) => {
      expect(reachOf(address)).toBe('never');
      expect(isPublicAddress(address)).toBe(false);
      expect(isLocalNetworkAddress(address)).toBe(false);
    },
  );
});

const CLOSED = [
  '127.0.0.1',
  '127.255.0.1',
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  'fd00::1',
  'fe80::1',
  'fe80::1%eth0',
  'ff02::1',
  '64:ff9b::7f00:1',
  '2002:7f00:1::',
  '2001:0:4136:e378:8000:63bf:5601:5601',
  '2001:db8::1',
  'localhost',
  '127.1',
  '',
];
const SCOPED = ['2606:4700::1111%eth0', '1.1.1.1%eth0'];
const OPEN = [
  '1.1.1.1',
  '8.8.8.8',
  '172.32.0.1',
  '100.128.0.1',
  '192.0.1.1',
  '2606:4700::1111',
  '2a00:1450::1',
];

describe('isPublicAddress', () => {
  it.each(CLOSED)('%j is not public', (address) => expect(isPublicAddress(address)).toBe(false));
  it.each(SCOPED)('%j has a zone and is not public', (address) =>
    expect(isPublicAddress(address)).toBe(false),
  );
  it.each(OPEN)('%j is public', (address) => expect(isPublicAddress(address)).toBe(true));
});

describe('isNeighbour', () => {
  const at = (address: string, bits: number) => ({
    address,
    cidr: `${address}/${bits}`,
    family: address.includes(':') ? ('IPv6' as const) : ('IPv4' as const),
    netmask: '',
    mac: '',
    internal: false,
    scopeid: 0,
  });
  const interfaces = {
    eth0: [at('2a00:1450:1:2::5', 64), at('93.184.216.34', 24)],
    tun0: [at('1.2.3.4', 0), at('2600::1', 3)],
  } as Interfaces;

  it.each(['2a00:1450:1:2::5', '2a00:1450:1:2:ffff::1', '93.184.216.1'])('returns true for %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
    expect(isNeighbour(address, interfaces)).toBe(true);
  });

  it.each(['2a00:1450:1:3::5', '93.184.217.1', '8.8.8.8', '2600::2'])('returns false for %s', (address) => {
    expect(isNeighbour(address, interfaces)).toBe(false);
  });
});

describe('isLocalNetworkAddress', () => {
  it.each([
    '10.0.0.7',
    '172.31.0.1',
    '192.168.1.1',
    '100.64.0.1',
    '169.254.1.1',
    'fd00::7',
    'fe80::1',
    'febf::1',
  ])('returns true for %s', (address) => expect(isLocalNetworkAddress(address)).toBe(true));
  // A pattern on the text treated the last three as unique local and link-local.
  it.each([
    '8.8.8.8',
    '127.0.0.1',
    '::1',
    '::ffff:10.0.0.7',
    '2606:4700::1',
    'nas',
    'fc::1',
    'fd::1',
    'fe8::1',
  ])('returns false for %s', (address) => expect(isLocalNetworkAddress(address)).toBe(false));
});
