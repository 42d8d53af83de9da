/** POSTs to a hub on sockets of our own choice. */
import { Client, type Dispatcher } from 'undici';
import type { Headers } from './messages.ts';

export interface PostOptions {
  path?: string;
  method?: Dispatcher.HttpMethod;
  /** Over the usual ones; an empty value leaves one out. */
  headers?: Headers;
  signal?: AbortSignal;
}

export interface Reply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
  /** The JSON-RPC messages in it, whether it is JSON or a stream of events; the answer is the last. */
  messages: string[];
}

/** One keep-alive connection, one request at a time. */
export interface Connection extends AsyncDisposable {
  post(body: string | Buffer, options?: PostOptions): Promise<Reply>;
  /** Cuts the connection without a goodbye. */
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
