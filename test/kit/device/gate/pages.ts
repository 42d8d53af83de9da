/** Headers with which a browser marks a request of a web page. */
import { portOf, requestText } from '../raw-request.ts';
import type { GateCase } from './case.ts';

/** PORT is replaced by the listener's port. */
const HEADERS: Record<string, readonly string[]> = {
  'an origin': ['Origin: https://evil.com'],
  'the null origin': ['Origin: null'],
  'an empty origin': ['Origin:'],
  'the origin of a file': ['Origin: file://'],
  'the origin of an extension': ['Origin: chrome-extension://abcdefghijklmnop'],
  'an origin in a header of mixed case': ['oRIGIN: https://evil.com'],
  'our origin with another scheme': ['Origin: https://127.0.0.1:PORT'],
  'our origin with another port': ['Origin: http://127.0.0.1:1'],
  'our origin as the prefix of another': ['Origin: http://127.0.0.1:PORT.evil.com'],
  'our origin with a user name': ['Origin: http://evil@127.0.0.1:PORT'],
  'our origin with a path': ['Origin: http://127.0.0.1:PORT/'],
  'another origin on this machine': ['Origin: http://localhost:3000'],
  'two origins, ours first': ['Origin: http://127.0.0.1:PORT', 'Origin: https://evil.com'],
  'two origins, ours last': ['Origin: https://evil.com', 'Origin: http://127.0.0.1:PORT'],
  'our origin, as a browser sends it': [
    'Origin: http://127.0.0.1:PORT',
    'Sec-Fetch-Site: same-origin',
    'Sec-Fetch-Mode: cors',
  ],
  'a fetch from another site': ['Sec-Fetch-Site: cross-site'],
  'a fetch from the same site': ['Sec-Fetch-Site: same-site'],
  'a fetch from the same origin': ['Sec-Fetch-Site: same-origin'],
  'an empty site': ['Sec-Fetch-Site:'],
  'an unknown site': ['Sec-Fetch-Site: nowhere'],
  'a list of sites': ['Sec-Fetch-Site: none, cross-site'],
  'two sites, first none': ['Sec-Fetch-Site: none', 'Sec-Fetch-Site: cross-site'],
  'two sites, last none': ['Sec-Fetch-Site: cross-site', 'Sec-Fetch-Site: none'],
};

const asked = [
  'Origin: https://evil.com',
  'Access-Control-Request-Method: POST',
  'Access-Control-Request-Headers: authorization,content-type',
  'Access-Control-Request-Private-Network: true',
];

export const PAGES: readonly GateCase[] = [
  ...Object.entries(HEADERS).map(([name, lines]): GateCase => ({
    name,
    status: [403],
    text: (endpoint, call) =>
      requestText(endpoint, call, { lines: lines.map((line) => line.replace('PORT', portOf(endpoint))) }),
  })),
  ...['127.0.0.1', 'localhost', '[::1]'].map((name): GateCase => ({
    name: `our own origin, as ${name}`,
    status: [403],
    isOwnOrigin: true,
    text: (endpoint, call) =>
      requestText(endpoint, call, { lines: [`Origin: http://${name}:${portOf(endpoint)}`] }),
  })),
  {
    name: 'an origin without a token',
    status: [403],
    text: (endpoint, call) =>
      requestText(endpoint, call, { headers: { authorization: undefined, origin: 'https://evil.com' } }),
  },
  {
    name: 'a form from another site',
    status: [403],
    text: (endpoint, call) =>
      requestText(endpoint, call, {
        headers: {
          authorization: undefined,
          'content-type': 'text/plain',
          origin: 'https://evil.com',
          'sec-fetch-site': 'cross-site',
          'sec-fetch-mode': 'navigate',
          'sec-fetch-dest': 'document',
        },
      }),
  },
  {
    name: 'an image on another site',
    status: [403],
    text: (endpoint) =>
      requestText(endpoint, '', {
        method: 'GET',
        headers: { authorization: undefined, 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'image' },
      }),
  },
  {
    name: 'a CORS preflight',
    status: [403],
    text: (endpoint) =>
      requestText(endpoint, '', { method: 'OPTIONS', headers: { authorization: undefined }, lines: asked }),
  },
  {
    name: 'a CORS preflight with the token',
    status: [403],
    text: (endpoint) => requestText(endpoint, '', { method: 'OPTIONS', lines: asked }),
  },
  {
    name: 'a WebSocket from a page',
    status: [403],
    text: (endpoint, call) =>
      requestText(endpoint, call, {
        method: 'GET',
        headers: {
          origin: 'https://evil.com',
          connection: 'Upgrade',
          upgrade: 'websocket',
          'sec-websocket-version': '13',
          'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
        },
      }),
  },
];
