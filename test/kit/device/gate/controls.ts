/** Legitimate requests: each runs its call exactly once. */
import { chunkedText, CHUNKED, portOf, requestText, type Endpoint } from '../raw-request.ts';

export const CONTROLS: Record<string, (endpoint: Endpoint, call: string) => string> = {
  'a plain request': requestText,
  'a request to localhost': (endpoint, call) =>
    requestText(endpoint, call, { headers: { host: `localhost:${portOf(endpoint)}` } }),
  'a request to the IPv6 address': (endpoint, call) =>
    requestText(endpoint, call, { headers: { host: `[::1]:${portOf(endpoint)}` } }),
  'a request to our address without a port': (endpoint, call) =>
    requestText(endpoint, call, { headers: { host: '127.0.0.1' } }),
  "a request of Node's fetch": (endpoint, call) =>
    requestText(endpoint, call, { headers: { 'sec-fetch-mode': 'cors', 'user-agent': 'node' } }),
  'a request with a referrer': (endpoint, call) =>
    requestText(endpoint, call, { headers: { referer: 'https://example.com/' } }),
  'a navigation without an initiator': (endpoint, call) =>
    requestText(endpoint, call, { headers: { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' } }),
  'a content type with a charset': (endpoint, call) =>
    requestText(endpoint, call, { headers: { 'content-type': 'Application/JSON; charset=utf-8' } }),
  'a lower-case scheme': (endpoint, call) =>
    requestText(endpoint, call, { headers: { authorization: `bearer ${endpoint.token}` } }),
  'a chunked body': (endpoint, call) =>
    requestText(endpoint, call, { headers: CHUNKED, sent: chunkedText(call) }),
  'a body after 100 Continue': (endpoint, call) =>
    requestText(endpoint, call, { headers: { expect: '100-continue' } }),
  'a request after a refused one on the same connection': (endpoint, call) =>
    requestText(endpoint, call, { headers: { authorization: 'Bearer wrong' } }) + requestText(endpoint, call),
};
