/** The token is right, and the request is none that a call may come by. */
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
  'a form in parts': 'multipart/form-data; boundary=x',
  'text that is called JSON': 'text/json',
  'a type that begins alike': 'application/jsonx',
  'a type that ends alike': 'x-application/json',
  'another kind of JSON': 'application/json-patch+json',
  'two types in one': 'text/plain, application/json',
  'a space within': 'application/ json',
  'a stream of events': 'text/event-stream',
  bytes: 'application/octet-stream',
};

/** A refused verb, or one that asks for something else than a call. */
const NO_CALL = [405, 400, 404, 200, 501, 0] as const;

export const FORMS: readonly GateCase[] = [
  ...VERBS.map((method): GateCase => ({
    name: `the verb ${method}`,
    status: method === 'PUT' || method === 'PATCH' || method === 'OPTIONS' ? [405] : NO_CALL,
    text: (door, call) => requestText(door, call, { method }),
  })),
  {
    name: 'GET with a call as its body',
    status: NO_CALL,
    text: (door, call) => requestText(door, call, { method: 'GET' }),
  },
  {
    name: 'GET with a call in its query',
    status: NO_CALL,
    text: (door, call) =>
      requestText(door, '', { method: 'GET', target: `${door.path}?body=${encodeURIComponent(call)}` }),
  },
  {
    name: 'GET that wants to be a POST',
    status: NO_CALL,
    text: (door, call) =>
      requestText(door, call, { method: 'GET', headers: { 'x-http-method-override': 'POST' } }),
  },
  {
    name: 'a verb in small letters',
    status: [400, 405, 501, 0],
    text: (door, call) => requestText(door, call, { method: 'post' }),
  },
  {
    name: 'CONNECT',
    status: [400, 403, 404, 405, 0],
    text: (door, call) => requestText(door, call, { method: 'CONNECT', target: '127.0.0.1:1' }),
  },
  ...Object.entries(TYPES).map(([name, type]): GateCase => ({
    name: `type: ${name}`,
    status: [415],
    text: (door, call) => requestText(door, call, { headers: { 'content-type': type } }),
  })),
  {
    name: 'a body that is packed',
    status: [400, 415, 200],
    text(door, call) {
      const packed = gzipSync(call).toString('latin1');
      return requestText(door, packed, {
        headers: { 'content-encoding': 'gzip', 'content-length': String(packed.length) },
      });
    },
  },
  {
    name: 'a body in two bytes for each character',
    status: [400, 415, 200],
    text(door, call) {
      const wide = Buffer.from(call, 'utf16le').toString('latin1');
      return requestText(door, wide, {
        headers: {
          'content-type': 'application/json; charset=utf-16',
          'content-length': String(wide.length),
        },
      });
    },
  },
  {
    name: 'two calls one after the other in a body',
    status: [400, 200],
    text: (door, call) => requestText(door, `${call}${call}`),
  },
  {
    name: 'a call after a line break in a body',
    status: [400, 200],
    text: (door, call) => requestText(door, `{"jsonrpc":"2.0","id":1,"method":"ping"}\n${call}`),
  },
  {
    name: 'a call as a string',
    status: [400, 200],
    text: (door, call) => requestText(door, JSON.stringify(call)),
  },
  {
    name: 'two methods in one call',
    status: [400, 200],
    text: (door, call) => requestText(door, call.replace('{', '{"method":"ping",')),
  },
  {
    name: 'two names in one call',
    status: [400, 200],
    text: (door, call) => requestText(door, call.replace('"name"', '"name":"device.info","name"')),
  },
];
