import type { ServerResponse } from 'node:http';
import { errorMessage } from '../outbound.ts';

export interface EventStream {
  send(message: string): void;
  end(): void;
}

/** Opens the response as an event stream; sends its head at once. */
export function openStream(response: ServerResponse): EventStream {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  response.flushHeaders();
  return {
    send: (message) => void response.write(`event: message\ndata: ${message}\n\n`),
    end: () => void response.end(),
  };
}

export function sendJson(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(message);
}

/** A refusal by the transport, before any protocol message is read. */
export function sendRefusal(response: ServerResponse, status: number, message: string): void {
  const code = status === 404 ? -32001 : -32000;
  sendJson(response, status, errorMessage('null', { code, message }));
}
