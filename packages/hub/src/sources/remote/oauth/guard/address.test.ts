import { describe, expect, it } from 'vitest';
import { reachOf } from './address.ts';

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
const PUBLIC = ['1.1.1.1', '8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '64:ff9b::808:808'];

describe('reachOf', () => {
  it.each(PRIVATE)('%s leads into a private network', (address) => expect(reachOf(address)).toBe('private'));
  it.each(NEVER)('%s leads nowhere that one signs in at', (address) =>
    expect(reachOf(address)).toBe('never'),
  );
  it.each(PUBLIC)('%s leads into the open', (address) => expect(reachOf(address)).toBe('public'));
});
