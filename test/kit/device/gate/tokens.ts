/** Requests without the right token in the right place. */
import { hostOf, requestText, type Endpoint } from '../raw-request.ts';
import type { GateCase } from './case.ts';

type Header = (token: string) => string | undefined;
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const swapped = (text: string): string =>
  text.replaceAll(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );

const HEADERS: Record<string, Header> = {
  'no token': () => undefined,
  'an empty header': () => '',
  'the scheme alone': () => 'Bearer',
  'the scheme and a space': () => 'Bearer ',
  'another token': () => 'Bearer wrong',
  'a wrong token of the same length': (token) => `Bearer ${'A'.repeat(token.length)}`,
  'the beginning of the token': (token) => `Bearer ${token.slice(0, -1)}`,
  'the end of the token': (token) => `Bearer ${token.slice(1)}`,
  'the token plus one character': (token) => `Bearer ${token}A`,
  'the token twice': (token) => `Bearer ${token}${token}`,
  'the token with swapped case': (token) => `Bearer ${swapped(token)}`,
  'the token without a scheme': (token) => token,
  'the token with another scheme': (token) => `Basic ${token}`,
  'the token as a password': (token) => `Basic ${base64(`pincer:${token}`)}`,
  'the token as a user name': (token) => `Basic ${base64(`${token}:`)}`,
  'the token with a non-standard scheme': (token) => `Token ${token}`,
  'the scheme twice': (token) => `Bearer Bearer ${token}`,
  'the token in quotes': (token) => `Bearer "${token}"`,
  'the token base64-encoded again': (token) => `Bearer ${base64(token)}`,
  'the token percent-encoded': (token) => `Bearer %${token.charCodeAt(0).toString(16)}${token.slice(1)}`,
  'a space in the token': (token) => `Bearer ${token.slice(0, 5)} ${token.slice(5)}`,
  'a list that ends with the token': (token) => `Bearer wrong, Bearer ${token}`,
  'a list that begins with the token': (token) => `Bearer ${token}, Bearer wrong`,
  'a very long token': () => `Bearer ${'x'.repeat(8_000)}`,
};

const elsewhere = (
  name: string,
  text: (endpoint: Endpoint, call: string) => string,
  status: readonly number[] = [401],
): GateCase => ({ name, status, text });

/** Where the proxy must find the path first, it may answer 404. */
const OR_NOT_THERE = [401, 404] as const;

const without = { authorization: undefined };

export const TOKENS: readonly GateCase[] = [
  ...Object.entries(HEADERS).map(([name, header]) =>
    elsewhere(`token: ${name}`, (endpoint, call) =>
      requestText(endpoint, call, { headers: { authorization: header(endpoint.token) } }),
    ),
  ),
  {
    name: 'two tokens, the right one last',
    status: [401, 400],
    text: (endpoint, call) =>
      requestText(endpoint, call, {
        headers: { authorization: 'Bearer wrong' },
        lines: [`Authorization: Bearer ${endpoint.token}`],
      }),
  },
  {
    name: 'two tokens, the right one first',
    status: [401, 400],
    text: (endpoint, call) => requestText(endpoint, call, { lines: ['Authorization: Bearer wrong'] }),
  },
  ...['token', 'access_token', 'authorization'].map((name) =>
    elsewhere(`the token as ${name} in the query`, (endpoint, call) =>
      requestText(endpoint, call, { target: `${endpoint.path}?${name}=${endpoint.token}`, headers: without }),
    ),
  ),
  elsewhere('the token in a cookie', (endpoint, call) =>
    requestText(endpoint, call, { headers: { ...without, cookie: `token=${endpoint.token}` } }),
  ),
  elsewhere('the token for a proxy', (endpoint, call) =>
    requestText(endpoint, call, {
      headers: { ...without, 'proxy-authorization': `Bearer ${endpoint.token}` },
    }),
  ),
  elsewhere('the token in X-Api-Key', (endpoint, call) =>
    requestText(endpoint, call, { headers: { ...without, 'x-api-key': endpoint.token } }),
  ),
  elsewhere(
    'the token as the user name in our URL',
    (endpoint, call) =>
      requestText(endpoint, call, {
        target: `http://${endpoint.token}@${hostOf(endpoint)}${endpoint.path}`,
        headers: without,
      }),
    OR_NOT_THERE,
  ),
  elsewhere('a verb that is not there, without a token', (endpoint, call) =>
    requestText(endpoint, call, { method: 'PUT', headers: without }),
  ),
  elsewhere('a type that is not taken, without a token', (endpoint, call) =>
    requestText(endpoint, call, { headers: { ...without, 'content-type': 'text/plain' } }),
  ),
  elsewhere('a length that is not taken, without a token', (endpoint) =>
    requestText(endpoint, '', { headers: { ...without, 'content-length': '999999999' } }),
  ),
  elsewhere('a question whether to go on, without a token', (endpoint, call) =>
    requestText(endpoint, call, { headers: { ...without, expect: '100-continue' } }),
  ),
  elsewhere(
    'a WebSocket without a token',
    (endpoint, call) =>
      requestText(endpoint, call, {
        method: 'GET',
        headers: {
          ...without,
          connection: 'Upgrade',
          upgrade: 'websocket',
          'sec-websocket-version': '13',
          'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
        },
      }),
    OR_NOT_THERE,
  ),
];
