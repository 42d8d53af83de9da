/**
 * The floor of HTTP in front of an HTTP server: the request is read once, then bytes pass both ways as they came.
 * Usage: node http.mjs PORT URL
 */
import { Pool } from 'undici';
import { handshake, sendJson, serve } from './front.mjs';

const [port, address] = process.argv.slice(2);
const { origin, pathname } = new URL(address);
const pool = new Pool(origin, { pipelining: 1, keepAliveTimeout: 600_000, keepAliveMaxTimeout: 600_000 });
const headers = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': handshake.protocolVersion,
};

function forward(body, onAnswer) {
  const chunks = [];
  pool.dispatch(
    { path: pathname, method: 'POST', headers, body },
    {
      onRequestStart() {},
      onResponseStart() {},
      onResponseData: (_controller, chunk) => chunks.push(chunk),
      onResponseEnd: () => onAnswer(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)),
      onResponseError: (_controller, error) => {
        console.error(error);
        process.exit(1);
      },
    },
  );
}

const initialize = { jsonrpc: '2.0', id: 0, method: 'initialize', params: handshake };
forward(JSON.stringify(initialize), (bytes) => {
  const initialized = JSON.parse(bytes.toString());
  forward('{"jsonrpc":"2.0","method":"notifications/initialized"}', () => {
    serve(Number(port), (message, body, response) => {
      if (message.method === 'initialize') {
        sendJson(response, JSON.stringify({ ...initialized, id: message.id }));
      } else {
        forward(body, (answer) => sendJson(response, answer));
      }
    });
  });
});
