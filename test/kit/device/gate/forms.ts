/** Requests with the right token in a form that must not carry a call. */
import { gzipSync } from 'node:zlib';
import { requestText } from '../raw-request.ts';
import type { GateCase } from './case.ts';

const VERBS = ['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'TRACE', 'QUERY', 'PROPFIND'];

const TYPES: Record<string, string | undefined> = {
  none: undefined,
  empty: '',
  'plain text': 'text/plain',
  'plain text that names JSON': 'text/plain; application/json',
  'a form': 'application/x-www-form-urlencoded',
  'a multipart form': 'multipart/form-data; boundary=x',
  'text/json': 'text/json',
  'a type with the same prefix': 'application/jsonx',
  'a type with the same suffix': 'x-application/json',
  'another kind of JSON': 'application/json-patch+json',
  'two types in one value': 'text/plain, application/json',
  'a space within': 'application/ json',
  'an event stream': 'text/event-stream',
  bytes: 'application/octet-stream',
};

/** A refused verb, or a verb that does not carry a call. */
const NO_CALL = [405, 400, 404, 200, 501, 0] as const;

export const FORMS: readonly GateCase[] = [
  ...VERBS.map((method): GateCase => ({
    name: `the verb ${method}`,
    status: method === 'PUT' || method === 'PATCH' || method === 'OPTIONS' ? [405] : NO_CALL,
    text: (endpoint, call) => requestText(endpoint, call, { method }),
  })),
  {
    name: 'GET with a call as its body',
    status: NO_CALL,
    text: (endpoint, call) => requestText(endpoint, call, { method: 'GET' }),
  },
  {
    name: 'GET with a call in its query',
    status: NO_CALL,
    text: (endpoint, call) =>
      requestText(endpoint, '', {
        method: 'GET',
        target: `${endpoint.path}?body=${encodeURIComponent(call)}`,
      }),
  },
  {
    name: 'GET with a method override',
    status: NO_CALL,
    text: (endpoint, call) =>
      requestText(endpoint, call, { method: 'GET', headers: { 'x-http-method-override': 'POST' } }),
  },
  {
    name: 'a lower-case verb',
    status: [400, 405, 501, 0],
    text: (endpoint, call) => requestText(endpoint, call, { method: 'post' }),
  },
  {
    name: 'CONNECT',
    status: [400, 403, 404, 405, 0],
    text: (endpoint, call) => requestText(endpoint, call, { method: 'CONNECT', target: '127.0.0.1:1' }),
  },
  ...Object.entries(TYPES).map(([name, type]): GateCase => ({
    name: `type: ${name}`,
    status: [415],
    text: (endpoint, call) => requestText(endpoint, call, { headers: { 'content-type': type } }),
  })),
  {
    name: 'a compressed body',
    status: [400, 415, 200],
    text(endpoint, call) {
      const packed = gzipSync(call).toString('latin1');
      return requestText(endpoint, packed, {
        headers: { 'content-encoding': 'gzip', 'content-length': String(packed.length) },
      });
    },
  },
  {
    name: 'a UTF-16 body',
    status: [400, 415, 200],
    text(endpoint, call) {
      const wide = Buffer.from(call, 'utf16le').toString('latin1');
      return requestText(endpoint, wide, {
        headers: {
          'content-type': 'application/json; charset=utf-16',
          'content-length': String(wide.length),
        },
      });
    },
  },
  {
    name: 'two concatenated calls in a body',
    status: [400, 200],
    text: (endpoint, call) => requestText(endpoint, `${call}${call}`),
  },
  {
    name: 'a call after a line break in a body',
    status: [400, 200],
    text: (endpoint, call) => requestText(endpoint, `{"jsonrpc":"2.0","id":1,"method":"ping"}\n${call}`),
  },
  {
    name: 'a call as a string',
    status: [400, 200],
    text: (endpoint, call) => requestText(endpoint, JSON.stringify(call)),
  },
  {
    name: 'two methods in one call',
    status: [400, 200],
    text: (endpoint, call) => requestText(endpoint, call.replace('{', '{"method":"ping",')),
  },
  {
    name: 'two names in one call',
    status: [400, 200],
    text: (endpoint, call) => requestText(endpoint, call.replace('"name"', '"name":"device.info","name"')),
  },
];
