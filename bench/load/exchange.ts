/** One HTTP exchange on one keep-alive connection, with as little as possible around it. */
import { Client } from 'undici';

export interface Exchange {
  path: string;
  method: 'GET' | 'POST' | 'DELETE';
  headers: Record<string, string>;
  body?: string;
}

export interface Reply {
  status: number;
  header(name: string): string | undefined;
  body: string;
}

const REPLY_TIMEOUT_MS = 30_000;

export function connect(url: URL): Client {
  return new Client(url.origin, {
    pipelining: 1,
    keepAliveTimeout: 600_000,
    keepAliveMaxTimeout: 600_000,
    headersTimeout: REPLY_TIMEOUT_MS,
    bodyTimeout: REPLY_TIMEOUT_MS,
  });
}

export function exchange(client: Client, { body, ...request }: Exchange): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let status = 0;
    let header: Reply['header'] = () => undefined;
    client.dispatch(
      { ...request, body: body ?? null },
      {
        onRequestStart() {},
        onResponseStart(_controller, statusCode, headers) {
          status = statusCode;
          header = (name) => headers[name]?.toString();
        },
        onResponseData(_controller, chunk) {
          chunks.push(chunk);
        },
        onResponseEnd() {
          resolve({ status, header, body: Buffer.concat(chunks).toString() });
        },
        onResponseError(_controller, error) {
          reject(error);
        },
      },
    );
  });
}
