/** The front of both floors: node:http, one JSON-RPC message per POST. No token, no policy, no log, no limits. */
import { createServer } from 'node:http';

export const handshake = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'floor', version: '1.0.0' },
};

export function sendJson(response, body) {
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

/** `onRequest(message, bytes, response)` answers every message that has an id. */
export function serve(port, onRequest) {
  const server = createServer((request, response) => {
    if (request.method !== 'POST') {
      response.writeHead(405, { allow: 'POST' }).end();
      return;
    }
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const bytes = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
      const message = JSON.parse(bytes.toString());
      if (message.id === undefined) response.writeHead(202).end();
      else onRequest(message, bytes, response);
    });
  });
  server.keepAliveTimeout = 600_000;
  server.listen(port, '127.0.0.1');
}
