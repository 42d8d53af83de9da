/** Host names of other machines: DNS rebinding, and names that only look like this machine. */
import { hostOf, portOf, requestText } from '../raw-request.ts';
import type { GateCase } from './case.ts';

/** PORT is replaced by the listener's port. */
const NAMES: Record<string, string> = {
  'a foreign name': 'evil.com',
  'a foreign name with our port': 'evil.com:PORT',
  'our address with another port': '127.0.0.1:1',
  'our address with our port and another digit': '127.0.0.1:PORT0',
  'our address with a zero before our port': '127.0.0.1:0PORT',
  'our address with a signed port': '127.0.0.1:+PORT',
  'our address as the prefix of a name': '127.0.0.1.evil.com',
  'our address as the prefix of a name, with our port': '127.0.0.1.nip.io:PORT',
  'localhost as the prefix of a name': 'localhost.evil.com:PORT',
  'localhost as the suffix of a name': 'evil.localhost:PORT',
  'localhost as part of a word': 'notlocalhost:PORT',
  'our address as the user name of a foreign one': '127.0.0.1:PORT@evil.com',
  'a user name before our address': 'user@127.0.0.1:PORT',
  'localhost with a trailing dot': 'localhost.:PORT',
  'our address with a trailing dot': '127.0.0.1.:PORT',
  'the wildcard address': '0.0.0.0:PORT',
  'the short form of the wildcard address': '0:PORT',
  'the IPv6 wildcard address': '[::]:PORT',
  'our address mapped to IPv6': '[::ffff:127.0.0.1]:PORT',
  'our address mapped to IPv6, in hexadecimal': '[::ffff:7f00:1]:PORT',
  'the IPv6 address without brackets': '::1',
  'the IPv6 address with a zone': '[::1%25lo]:PORT',
  'a short form of our address': '127.1:PORT',
  'our address as a number': '2130706433:PORT',
  'our address in hexadecimal': '0x7f000001:PORT',
  'our address in octal': '0177.0.0.1:PORT',
  'another address of this machine': '127.0.0.2:PORT',
  'an address of the local network': '192.168.0.1:PORT',
  'a whole URL': 'http://127.0.0.1:PORT',
  'a path after our address': '127.0.0.1:PORT/',
  'two names in one value': '127.0.0.1:PORT, evil.com',
  'two names with a space': '127.0.0.1:PORT evil.com',
  'our address percent-encoded': '%31%32%37.0.0.1:PORT',
  nothing: '',
};

const byName = Object.entries(NAMES).map(([name, host]): GateCase => ({
  name: `Host: ${name}`,
  status: [403, 400],
  text: (endpoint, call) =>
    requestText(endpoint, call, { headers: { host: host.replace('PORT', portOf(endpoint)) } }),
}));

export const HOSTS: readonly GateCase[] = [
  ...byName,
  {
    name: 'no Host',
    status: [400, 403],
    text: (endpoint, call) => requestText(endpoint, call, { headers: { host: undefined } }),
  },
  {
    name: 'no Host in HTTP/1.0',
    status: [400, 403],
    text: (endpoint, call) =>
      requestText(endpoint, call, { version: 'HTTP/1.0', headers: { host: undefined } }),
  },
  {
    name: 'two Host, ours first',
    status: [400, 403],
    text: (endpoint, call) => requestText(endpoint, call, { lines: ['Host: evil.com'] }),
  },
  {
    name: 'two Host, ours last',
    status: [400, 403],
    text: (endpoint, call) =>
      requestText(endpoint, call, { headers: { host: 'evil.com' }, lines: [`Host: ${hostOf(endpoint)}`] }),
  },
  {
    name: 'a foreign URL as the target',
    status: [403, 404, 400],
    text: (endpoint, call) => requestText(endpoint, call, { target: `http://evil.com${endpoint.path}` }),
  },
  {
    name: 'our URL as the target with a foreign Host',
    status: [403, 400],
    text: (endpoint, call) =>
      requestText(endpoint, call, {
        target: `${endpoint.origin}${endpoint.path}`,
        headers: { host: 'evil.com' },
      }),
  },
  {
    name: 'our name in X-Forwarded-Host only',
    status: [403],
    text: (endpoint, call) =>
      requestText(endpoint, call, {
        headers: {
          host: 'evil.com',
          'x-forwarded-host': hostOf(endpoint),
          forwarded: `host=${hostOf(endpoint)}`,
        },
      }),
  },
  {
    name: 'a foreign Host without a token',
    status: [403],
    text: (endpoint, call) =>
      requestText(endpoint, call, { headers: { host: 'evil.com', authorization: undefined } }),
  },
];
