/** Legitimate requests: each runs its call exactly once. */
import { chunkedText, CHUNKED, portOf, requestText, type Door } from '../raw-request.ts';

export const CONTROLS: Record<string, (door: Door, call: string) => string> = {
  'a plain request': requestText,
  'a request to localhost': (door, call) =>
    requestText(door, call, { headers: { host: `localhost:${portOf(door)}` } }),
  'a request to the IPv6 address': (door, call) =>
    requestText(door, call, { headers: { host: `[::1]:${portOf(door)}` } }),
  'a request to our address without a port': (door, call) =>
    requestText(door, call, { headers: { host: '127.0.0.1' } }),
  "a request of Node's fetch": (door, call) =>
    requestText(door, call, { headers: { 'sec-fetch-mode': 'cors', 'user-agent': 'node' } }),
  'a request with a referrer': (door, call) =>
    requestText(door, call, { headers: { referer: 'https://example.com/' } }),
  'a navigation without an initiator': (door, call) =>
    requestText(door, call, { headers: { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' } }),
  'a content type with a charset': (door, call) =>
    requestText(door, call, { headers: { 'content-type': 'Application/JSON; charset=utf-8' } }),
  'a lower-case scheme': (door, call) =>
    requestText(door, call, { headers: { authorization: `bearer ${door.token}` } }),
  'a chunked body': (door, call) => requestText(door, call, { headers: CHUNKED, sent: chunkedText(call) }),
  'a body after 100 Continue': (door, call) =>
    requestText(door, call, { headers: { expect: '100-continue' } }),
  'a request after a refused one on the same connection': (door, call) =>
    requestText(door, call, { headers: { authorization: 'Bearer wrong' } }) + requestText(door, call),
};
