/**
 * The HTTP server behind every subject: a hand-written, stateless Streamable HTTP echo server on node:http, too light to
 * be the bottleneck. Legacy era. Prints its port as the first line.
 */
import { createServer } from 'node:http';

const echo = {
  name: 'echo',
  description: 'Returns its message.',
  inputSchema: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
};

const methods = {
  initialize: (params) => ({
    protocolVersion: params.protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'bench-http', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: [echo] }),
  'tools/call': (params) => ({ content: [{ type: 'text', text: String(params.arguments.message) }] }),
};

function answer({ id, method, params }) {
  const perform = methods[method];
  const known = perform !== undefined && (method !== 'tools/call' || params.name === 'echo');
  if (!known)
    return { jsonrpc: '2.0', id, error: { code: -32601, message: `Unknown ${method} ${params?.name}` } };
  return { jsonrpc: '2.0', id, result: perform(params) };
}

const server = createServer((request, response) => {
  if (request.method !== 'POST') {
    response.writeHead(405, { allow: 'POST' }).end();
    return;
  }
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const message = JSON.parse(Buffer.concat(chunks).toString());
    if (message.id === undefined) {
      response.writeHead(202).end();
      return;
    }
    const body = JSON.stringify(answer(message));
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
  });
});
server.keepAliveTimeout = 600_000;
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
