/** Names under which somebody else is meant: rebinding, and what looks like this machine. */
import { hostOf, portOf, requestText } from '../raw-request.ts';
import type { GateCase } from './case.ts';

/** PORT stands for the listener's own. */
const NAMES: Record<string, string> = {
  'a name of somebody else': 'evil.com',
  'a name of somebody else with our port': 'evil.com:PORT',
  'our address with another port': '127.0.0.1:1',
  'our address with our port and a digit': '127.0.0.1:PORT0',
  'our address with a zero before our port': '127.0.0.1:0PORT',
  'our address with a signed port': '127.0.0.1:+PORT',
  'an address as the beginning of a name': '127.0.0.1.evil.com',
  'an address as the beginning of a name, with our port': '127.0.0.1.nip.io:PORT',
  'localhost as the beginning of a name': 'localhost.evil.com:PORT',
  'localhost as the end of a name': 'evil.localhost:PORT',
  'localhost as a part of a word': 'notlocalhost:PORT',
  'us as the user of somebody else': '127.0.0.1:PORT@evil.com',
  'a user before our address': 'user@127.0.0.1:PORT',
  'localhost with a dot at its end': 'localhost.:PORT',
  'our address with a dot at its end': '127.0.0.1.:PORT',
  'the address of every interface': '0.0.0.0:PORT',
  'the short form of that address': '0:PORT',
  'the address of every interface, version 6': '[::]:PORT',
  'our address as one of version 6': '[::ffff:127.0.0.1]:PORT',
  'our address as one of version 6, in hexadecimal': '[::ffff:7f00:1]:PORT',
  'the address of version 6 without brackets': '::1',
  'the address of version 6 with a zone': '[::1%25lo]:PORT',
  'a short form of our address': '127.1:PORT',
  'our address as a number': '2130706433:PORT',
  'our address in hexadecimal': '0x7f000001:PORT',
  'our address in octal': '0177.0.0.1:PORT',
  'another address of this machine': '127.0.0.2:PORT',
  'an address of the local network': '192.168.0.1:PORT',
  'a whole URL': 'http://127.0.0.1:PORT',
  'a path after our address': '127.0.0.1:PORT/',
  'two names in one': '127.0.0.1:PORT, evil.com',
  'two names with a space': '127.0.0.1:PORT evil.com',
  'our address in percent': '%31%32%37.0.0.1:PORT',
  nothing: '',
};

const byName = Object.entries(NAMES).map(([name, host]): GateCase => ({
  name: `Host: ${name}`,
  status: [403, 400],
  text: (door, call) => requestText(door, call, { headers: { host: host.replace('PORT', portOf(door)) } }),
}));

export const HOSTS: readonly GateCase[] = [
  ...byName,
  {
    name: 'no Host',
    status: [400, 403],
    text: (door, call) => requestText(door, call, { headers: { host: undefined } }),
  },
  {
    name: 'no Host in HTTP/1.0',
    status: [400, 403],
    text: (door, call) => requestText(door, call, { version: 'HTTP/1.0', headers: { host: undefined } }),
  },
  {
    name: 'two Host, ours first',
    status: [400, 403],
    text: (door, call) => requestText(door, call, { lines: ['Host: evil.com'] }),
  },
  {
    name: 'two Host, ours last',
    status: [400, 403],
    text: (door, call) =>
      requestText(door, call, { headers: { host: 'evil.com' }, lines: [`Host: ${hostOf(door)}`] }),
  },
  {
    name: 'a URL of somebody else as the target',
    status: [403, 404, 400],
    text: (door, call) => requestText(door, call, { target: `http://evil.com${door.path}` }),
  },
  {
    name: 'our URL as the target, and Host of somebody else',
    status: [403, 400],
    text: (door, call) =>
      requestText(door, call, { target: `${door.origin}${door.path}`, headers: { host: 'evil.com' } }),
  },
  {
    name: 'our name in X-Forwarded-Host only',
    status: [403],
    text: (door, call) =>
      requestText(door, call, {
        headers: { host: 'evil.com', 'x-forwarded-host': hostOf(door), forwarded: `host=${hostOf(door)}` },
      }),
  },
  {
    name: 'Host of somebody else without a token',
    status: [403],
    text: (door, call) =>
      requestText(door, call, { headers: { host: 'evil.com', authorization: undefined } }),
  },
];
