/** A small server on stdio that exits, hangs or writes garbage on request. It starts as fast as possible. */
import { createInterface } from 'node:readline';

interface Request {
  readonly id?: string;
  readonly method: string;
  readonly params?: { readonly name?: string; readonly arguments?: { readonly ms?: number } };
}

const write = (text: string): void => void process.stdout.write(text);
const answer = (id: string | undefined, result: unknown): void =>
  write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
const done = (id: string | undefined): void => answer(id, { content: [{ type: 'text', text: 'done' }] });

const TOOLS: Record<string, (id: string | undefined, ms: number) => void> = {
  echo: (id) => done(id),
  wait: (id, ms) => void setTimeout(() => done(id), ms),
  exit: () => process.exit(7),
  garbage(id) {
    write('not json\n{"jsonrpc":"2.0"\n[]\n\u0000\u0001\n{"jsonrpc":"2.0","id":"unknown","result":{}}\n');
    process.stdout.write(Buffer.from([0xff, 0xfe, 0xc0, 0x0a]));
    done(id);
  },
  /** An endless line, longer than the hub accepts. */
  endless() {
    const chunk = 'x'.repeat(65_536);
    const pump = (): void => void process.stdout.write(chunk, pump);
    pump();
  },
  /** Closes stdout and keeps running. */
  mute() {
    process.stdout.destroy();
    setInterval(() => undefined, 60_000);
  },
};

const METHODS: Record<string, (request: Request) => void> = {
  initialize: ({ id }) =>
    answer(id, {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'crashing', version: '1' },
    }),
  ping: ({ id }) => answer(id, {}),
  'tools/list': ({ id }) =>
    answer(id, { tools: Object.keys(TOOLS).map((name) => ({ name, inputSchema: { type: 'object' } })) }),
  'tools/call': ({ id, params }) => TOOLS[params?.name ?? '']?.(id, params?.arguments?.ms ?? 0),
};

const { CRASH_AT_START } = process.env;
if (CRASH_AT_START !== undefined) {
  process.stderr.write(`${CRASH_AT_START}\n`);
  process.exit(9);
}

process.stdout.on('error', () => undefined);
const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  const request = JSON.parse(line) as Request;
  METHODS[request.method]?.(request);
});
lines.on('close', () => process.exit(0));
