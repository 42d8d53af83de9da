/** Sends POST requests to a hub on sockets that the test controls. */
import { Client, type Dispatcher } from 'undici';
import type { Headers } from './messages.ts';

export interface PostOptions {
  path?: string;
  method?: Dispatcher.HttpMethod;
  /** Replaces the default headers; an empty value removes one. */
  headers?: Headers;
  signal?: AbortSignal;
}

export interface Reply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
  /** The JSON-RPC messages of a JSON or event-stream response; the last one is the answer. */
  messages: string[];
}

/** One keep-alive connection, one request at a time. */
export interface Connection extends AsyncDisposable {
  post(body: string | Buffer, options?: PostOptions): Promise<Reply>;
  /** Destroys the connection without closing it properly. */
  destroy(): Promise<void>;
}

export function connect(origin: string, token: string): Connection {
  const client = new Client(origin, {
    pipelining: 1,
    bodyTimeout: 0,
    headersTimeout: 0,
    keepAliveTimeout: 60_000,
  });
  const usual = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const destroy = () => client.destroy();
  return {
    async post(body, { path = '/mcp', method = 'POST', headers, signal } = {}) {
      const given = Object.entries({ ...usual, ...headers }).filter(([, value]) => value !== '');
      const response = await client.request({
        path,
        method,
        headers: Object.fromEntries(given),
        body: body === '' ? null : body,
        ...(signal === undefined ? {} : { signal }),
      });
      const text = await response.body.text();
      return {
        status: response.statusCode,
        headers: response.headers,
        body: text,
        messages: messagesIn(text, String(response.headers['content-type'])),
      };
    },
    destroy,
    [Symbol.asyncDispose]: destroy,
  };
}

export function messagesIn(text: string, contentType: string): string[] {
  if (!contentType.startsWith('text/event-stream')) return text === '' ? [] : [text];
  return text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []));
}
