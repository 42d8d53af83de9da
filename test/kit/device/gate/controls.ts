/** Requests of programs that belong here: each runs its call, once. */
import { chunkedText, CHUNKED, portOf, requestText, type Door } from '../raw-request.ts';

export const CONTROLS: Record<string, (door: Door, call: string) => string> = {
  'a plain request': requestText,
  'a request by the name localhost': (door, call) =>
    requestText(door, call, { headers: { host: `localhost:${portOf(door)}` } }),
  'a request by the address of version 6': (door, call) =>
    requestText(door, call, { headers: { host: `[::1]:${portOf(door)}` } }),
  'a request to our address without a port': (door, call) =>
    requestText(door, call, { headers: { host: '127.0.0.1' } }),
  'a request as fetch of Node makes it': (door, call) =>
    requestText(door, call, { headers: { 'sec-fetch-mode': 'cors', 'user-agent': 'node' } }),
  'a request that names where it comes from': (door, call) =>
    requestText(door, call, { headers: { referer: 'https://example.com/' } }),
  'a request of an address that was typed': (door, call) =>
    requestText(door, call, { headers: { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' } }),
  'a type with its characters': (door, call) =>
    requestText(door, call, { headers: { 'content-type': 'Application/JSON; charset=utf-8' } }),
  'a scheme in small letters': (door, call) =>
    requestText(door, call, { headers: { authorization: `bearer ${door.token}` } }),
  'a body in chunks': (door, call) => requestText(door, call, { headers: CHUNKED, sent: chunkedText(call) }),
  'a body that waits to be asked for': (door, call) =>
    requestText(door, call, { headers: { expect: '100-continue' } }),
  'after a stranger on the same connection': (door, call) =>
    requestText(door, call, { headers: { authorization: 'Bearer wrong' } }) + requestText(door, call),
};
