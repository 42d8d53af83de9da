import { describe, expect, it } from 'vitest';
import { isNeighbour, isPublicAddress, type Interfaces } from './public-address.ts';

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
const OPEN = [
  '1.1.1.1',
  '8.8.8.8',
  '172.32.0.1',
  '100.128.0.1',
  '192.0.1.1',
  '2606:4700::1111',
  '2a00:1450::1',
];

describe('an address', () => {
  it.each(CLOSED)('%j is not for pages', (address) => expect(isPublicAddress(address)).toBe(false));
  it.each(OPEN)('%j is public', (address) => expect(isPublicAddress(address)).toBe(true));
});

describe('a neighbour', () => {
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

  it.each(['2a00:1450:1:2::5', '2a00:1450:1:2:ffff::1', '93.184.216.1'])('is %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
    expect(isNeighbour(address, interfaces)).toBe(true);
  });

  it.each(['2a00:1450:1:3::5', '93.184.217.1', '8.8.8.8', '2600::2'])('is not %s', (address) => {
    expect(isNeighbour(address, interfaces)).toBe(false);
  });
});
