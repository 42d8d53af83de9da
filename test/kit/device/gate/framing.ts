/** Requests that two parsers could read differently, and requests that never end. */
import { chunkedText, CHUNKED, requestText } from '../raw-request.ts';
import { NO_HTTP, type GateCase } from './case.ts';

const PING = '{"jsonrpc":"2.0","id":"outer","method":"ping"}';
const MIB = 2 ** 20;
const chunked = { 'content-length': undefined };

export const FRAMING: readonly GateCase[] = [
  {
    name: 'Content-Length and chunks: the length hides the call',
    status: [400, 200, 0],
    text: (endpoint, call) => {
      const hidden = requestText(endpoint, call);
      return requestText(endpoint, hidden, {
        headers: { 'transfer-encoding': 'chunked' },
        sent: `0\r\n\r\nG${hidden}`,
      });
    },
  },
  {
    name: 'Content-Length and chunks: a chunk hides the call',
    status: [400, 200, 0],
    text: (endpoint, call) =>
      requestText(endpoint, PING, {
        headers: { 'transfer-encoding': 'chunked', 'content-length': '4' },
        sent: chunkedText(requestText(endpoint, call)),
      }),
  },
  ...['xchunked', 'chunked, identity', 'identity, chunked, x', '\vchunked', 'chunked\0', 'chunke d'].map(
    (value): GateCase => ({
      name: `Transfer-Encoding ${JSON.stringify(value)}`,
      status: [...NO_HTTP, 501],
      text: (endpoint, call) =>
        requestText(endpoint, call, {
          headers: { ...chunked, 'transfer-encoding': value },
          sent: chunkedText(call),
        }),
    }),
  ),
  {
    name: 'a space before the colon of Transfer-Encoding',
    status: NO_HTTP,
    text: (endpoint, call) =>
      requestText(endpoint, call, { lines: ['Transfer-Encoding : chunked'], sent: chunkedText(call) }),
  },
  {
    name: 'two Content-Length headers',
    status: NO_HTTP,
    text: (endpoint, call) => requestText(endpoint, call, { lines: ['Content-Length: 1'] }),
  },
  ...['+LENGTH', '0xLENGTH', '-1', 'LENGTH LENGTH', 'LENGTH.0', '1e3'].map((value): GateCase => ({
    name: `Content-Length ${value}`,
    status: NO_HTTP,
    text: (endpoint, call) =>
      requestText(endpoint, call, {
        headers: { 'content-length': value.replaceAll('LENGTH', String(Buffer.byteLength(call))) },
      }),
  })),
  ...['g', ' ', '\n', ';x=\n', '0x'].map((junk): GateCase => ({
    name: `a chunk whose size has ${JSON.stringify(junk)} in it`,
    status: NO_HTTP,
    text: (endpoint, call) =>
      requestText(endpoint, call, {
        headers: CHUNKED,
        sent:
          junk === '0x'
            ? `0x${chunkedText(call)}`
            : `${Buffer.byteLength(call).toString(16)}${junk}\r\n${call}\r\n0\r\n\r\n`,
      }),
  })),
  {
    name: 'a chunk longer than its size',
    status: NO_HTTP,
    text: (endpoint, call) =>
      requestText(endpoint, call, { headers: CHUNKED, sent: `5\r\n${call}\r\n0\r\n\r\n` }),
  },
  {
    name: 'a chunk size that overflows',
    status: NO_HTTP,
    text: (endpoint, call) =>
      requestText(endpoint, call, { headers: CHUNKED, sent: `fffffffffffffffff\r\n${call}\r\n0\r\n\r\n` }),
  },
  {
    name: 'the token behind a bare line feed',
    status: [400, 401, 0],
    text: (endpoint, call) =>
      requestText(endpoint, call, {
        headers: { authorization: undefined, x: `y\nAuthorization: Bearer ${endpoint.token}` },
      }),
  },
  {
    name: 'the token behind a bare carriage return',
    status: [400, 401, 0],
    text: (endpoint, call) =>
      requestText(endpoint, call, {
        headers: { authorization: undefined, x: `y\rAuthorization: Bearer ${endpoint.token}` },
      }),
  },
  {
    name: 'the token in a folded line',
    status: [400, 401, 0],
    text: (endpoint, call) =>
      requestText(endpoint, call, {
        headers: { authorization: undefined, x: `y\r\n Authorization: Bearer ${endpoint.token}` },
      }),
  },
  {
    name: 'the token in a trailer',
    status: [401],
    text: (endpoint, call) =>
      requestText(endpoint, call, {
        headers: { ...CHUNKED, authorization: undefined, trailer: 'authorization' },
        sent: chunkedText(call).replace(/\r\n$/, `Authorization: Bearer ${endpoint.token}\r\n\r\n`),
      }),
  },
  {
    name: 'a NUL in the head',
    status: NO_HTTP,
    text: (endpoint, call) => requestText(endpoint, call, { headers: { x: '\0' } }),
  },
  ...[401, 403, 415].map((status): GateCase => {
    const wrong: Record<number, Record<string, string | undefined>> = {
      401: { authorization: 'Bearer wrong' },
      403: { origin: 'https://evil.com' },
      415: { 'content-type': 'text/plain' },
    };
    return {
      name: `a request in the body of one that is answered ${status}`,
      status: [status],
      text: (endpoint, call) =>
        requestText(endpoint, requestText(endpoint, call), { headers: wrong[status]! }),
    };
  }),
  {
    name: 'a request one byte late after a refused one',
    status: [401],
    text: (endpoint, call) =>
      requestText(endpoint, 'x', {
        headers: { authorization: undefined },
        sent: `xG${requestText(endpoint, call)}`,
      }),
  },
  {
    name: 'the token of the previous request on the connection',
    status: [200],
    text: (endpoint, call) =>
      requestText(endpoint, PING) + requestText(endpoint, call, { headers: { authorization: undefined } }),
  },
  {
    name: 'several requests without the token on one connection',
    status: [401],
    text: (endpoint, call) =>
      requestText(endpoint, call, { headers: { authorization: undefined } }) +
      requestText(endpoint, call, { headers: { authorization: 'Bearer wrong' } }) +
      requestText(endpoint, call, { headers: { host: 'evil.com' } }),
  },
  {
    name: 'an upgrade to HTTP/2',
    status: [400, 404, 405, 200, 426, 0],
    text: (endpoint, call) =>
      requestText(endpoint, call, {
        method: 'GET',
        headers: { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABk' },
      }),
  },
  {
    name: 'a WebSocket with the token',
    status: [400, 404, 405, 200, 426],
    text: (endpoint, call) =>
      requestText(endpoint, call, {
        method: 'GET',
        headers: {
          connection: 'Upgrade',
          upgrade: 'websocket',
          'sec-websocket-version': '13',
          'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
        },
      }),
  },
  {
    name: 'HTTP/2 without an upgrade',
    status: NO_HTTP,
    text: (_door, call) => `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${call}`,
  },
  { name: 'HTTP/0.9', status: [...NO_HTTP, 403], text: ({ path }, call) => `POST ${path}\r\n\r\n${call}` },
  {
    name: 'HTTP/9.9',
    status: [...NO_HTTP, 505],
    text: (endpoint, call) => requestText(endpoint, call, { version: 'HTTP/9.9' }),
  },
  { name: 'TLS', status: NO_HTTP, text: () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03' },
  {
    name: 'an endless head',
    status: [431, 400, 0],
    text: ({ path }) => `POST ${path} HTTP/1.1\r\nX: ${'x'.repeat(100_000)}`,
  },
  {
    name: 'a declared body that is too large',
    status: [413],
    text: (endpoint, call) =>
      requestText(endpoint, call, { headers: { 'content-length': String(1024 * MIB) } }),
  },
  {
    name: 'an unknown expectation',
    status: [417, 400, 0],
    text: (endpoint, call) => requestText(endpoint, call, { headers: { expect: 'the unexpected' } }),
  },
  {
    name: 'a body without its last byte',
    status: [400, 0],
    isHalf: true,
    text: (endpoint, call) =>
      requestText(endpoint, call, { headers: { 'content-length': String(Buffer.byteLength(call) + 1) } }),
  },
  {
    name: 'chunks without the final chunk',
    status: [400, 0],
    isHalf: true,
    text: (endpoint, call) =>
      requestText(endpoint, call, {
        headers: CHUNKED,
        sent: `${Buffer.byteLength(call).toString(16)}\r\n${call}\r\n`,
      }),
  },
  {
    name: 'half a body',
    status: [400, 0],
    isHalf: true,
    text: (endpoint, call) => requestText(endpoint, call, { sent: call.slice(0, call.length / 2) }),
  },
  {
    name: 'half a head',
    status: [400, 0],
    isHalf: true,
    text: (endpoint, call) => requestText(endpoint, call).split('\r\n').slice(0, 3).join('\r\n'),
  },
];
