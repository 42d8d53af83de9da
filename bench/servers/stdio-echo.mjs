/**
 * The stdio server behind every subject: SDK v1, one tool `echo` that returns its message.
 *
 * Plain JavaScript, so that type stripping does not count.
 * `--start-log FILE` appends the pid: it shows whether a running process answered a call.
 */
import { appendFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const { values } = parseArgs({ options: { 'start-log': { type: 'string' } } });
const startLog = values['start-log'];
if (startLog !== undefined) appendFileSync(startLog, `${process.pid}\n`);

const echo = {
  name: 'echo',
  description: 'Returns its message.',
  inputSchema: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
};

const { server } = new McpServer({ name: 'bench-stdio', version: '1.0.0' }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [echo] }));
server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
  if (params.name !== 'echo') throw new Error(`Unknown tool ${params.name}`);
  return { content: [{ type: 'text', text: String(params.arguments?.message) }] };
});
await server.connect(new StdioServerTransport());
process.stdin.on('end', () => process.exit(0));
