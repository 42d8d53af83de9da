/**
 * A small server on stdio with ten tools, used in large numbers. Each tool returns its name and its arguments after
 * `ms`. Usage: node ten-tools.ts NAME
 */
import { createInterface } from 'node:readline';

interface Request {
  readonly id?: string;
  readonly method: string;
  readonly params?: {
    readonly name?: string;
    readonly arguments?: { readonly marker?: string; readonly ms?: number };
  };
}

/** A tool's answer, as JSON in its text. */
export interface TenToolsAnswer {
  readonly server: string;
  readonly tool: string;
  readonly marker: string;
  readonly pid: number;
}

const [server = ''] = process.argv.slice(2);
const TOOLS = Array.from({ length: 10 }, (_, index) => ({
  name: `tool_${index}`,
  description: `Number ${index} of ${server}.`,
  inputSchema: { type: 'object', properties: { marker: { type: 'string' }, ms: { type: 'integer' } } },
}));

const answer = (id: string | undefined, result: unknown): void =>
  void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);

const METHODS: Record<string, (request: Request) => void> = {
  initialize: ({ id }) =>
    answer(id, {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: server, version: '1' },
    }),
  ping: ({ id }) => answer(id, {}),
  'tools/list': ({ id }) => answer(id, { tools: TOOLS }),
  'tools/call'({ id, params }) {
    const { marker = '', ms = 0 } = params?.arguments ?? {};
    const result: TenToolsAnswer = { server, tool: params?.name ?? '', marker, pid: process.pid };
    setTimeout(() => answer(id, { content: [{ type: 'text', text: JSON.stringify(result) }] }), ms);
  },
};

const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  const request = JSON.parse(line) as Request;
  METHODS[request.method]?.(request);
});
lines.on('close', () => process.exit(0));
