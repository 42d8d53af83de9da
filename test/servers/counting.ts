/**
 * A legacy server over stdio with one tool, which appends a line to the file in its argument each time it runs. All
 * processes of the server append to the same file.
 */
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

interface Request {
  id?: number | string;
  method: string;
  params?: { protocolVersion?: string; arguments?: object; _meta?: object };
}

const file = process.argv[2]!;
const TOOLS = [{ name: 'pay', description: 'Pays.', inputSchema: { type: 'object' } }];

function answer({ method, params }: Request): object {
  if (method === 'initialize')
    return {
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'counting', version: '1' },
    };
  if (method === 'tools/list') return { tools: TOOLS };
  if (method !== 'tools/call') return {};
  appendFileSync(file, `${JSON.stringify(params?.arguments)}\n`);
  return { content: [{ type: 'text', text: 'paid' }], _meta: { got: Object.keys(params?._meta ?? {}) } };
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line) as Request;
  if (request.id === undefined) continue;
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: request.id, result: answer(request) })}\n`);
}
