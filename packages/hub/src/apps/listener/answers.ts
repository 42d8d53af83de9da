/** HTTP responses of the proxy outside of MCP, and CORS. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ErrorCode, PincerError } from '../../core/errors.ts';
import { retryAfterSeconds } from '../refusals.ts';

const STATUS: Partial<Record<ErrorCode, number>> = {
  ARGUMENT_INVALID: 400,
  RATE_LIMITED: 429,
  SERVER_BUSY: 503,
  SESSION_UNKNOWN: 404,
};

export interface Answers {
  json(response: ServerResponse, status: number, value: unknown): void;
  /** Plain text. A 401 has no body. */
  text(response: ServerResponse, status: number, text?: string): void;
  /** `status` overrides the status of the error code. */
  error(response: ServerResponse, error: PincerError, status?: number): void;
}

/** Calls `onRejected` for each status of 400 and above. */
export function createAnswers(onRejected: (status: number) => void): Answers {
  function send(response: ServerResponse, status: number, [type, text]: readonly [string, string]): void {
    if (status >= 400) onRejected(status);
    if (response.headersSent || response.destroyed) return;
    const length = String(Buffer.byteLength(text));
    response.writeHead(status, { 'content-type': type, 'content-length': length }).end(text);
  }

  const json: Answers['json'] = (response, status, value) =>
    send(response, status, ['application/json', JSON.stringify(value)]);

  return {
    json,
    text(response, status, text = '') {
      if (status === 401) response.setHeader('www-authenticate', 'Bearer');
      send(response, status, ['text/plain', text]);
    },
    error(response, { code, message, hint, data }, status) {
      const retryAfterMs = data?.['retryAfterMs'];
      if (typeof retryAfterMs === 'number')
        response.setHeader('retry-after', retryAfterSeconds(retryAfterMs));
      else if (code === 'SERVER_BUSY') response.setHeader('retry-after', '1');
      json(response, status ?? STATUS[code] ?? 500, { error: { code, message, hint } });
    },
  };
}

const CORS_METHODS = 'POST, GET, DELETE, OPTIONS';
const CORS_HEADERS =
  'authorization, content-type, accept, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name, last-event-id';
const CORS_EXPOSED = 'retry-after, www-authenticate';
const PREFLIGHT_SECONDS = '600';

/** Call it after the gate has accepted the origin. */
export function allowOrigin({ headers }: IncomingMessage, response: ServerResponse): void {
  const { origin } = headers;
  if (origin === undefined) return;
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('vary', 'origin');
  response.setHeader('access-control-expose-headers', CORS_EXPOSED);
}

export function answerPreflight({ headers }: IncomingMessage, response: ServerResponse): void {
  response.setHeader('access-control-allow-methods', CORS_METHODS);
  response.setHeader('access-control-allow-headers', CORS_HEADERS);
  response.setHeader('access-control-max-age', PREFLIGHT_SECONDS);
  // Private Network Access: browsers ask before a public page may reach this machine.
  if (headers['access-control-request-private-network'] !== undefined)
    response.setHeader('access-control-allow-private-network', 'true');
  response.writeHead(204).end();
}
