/** Calls over the pipes of one MCP server. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { INITIALIZE, INITIALIZED } from '../load/messages.ts';
import type { Session } from '../load/target.ts';
import { type AppResult, echoIn } from './echo-result.ts';
import { ECHO } from './tools.ts';

export interface StdioTarget {
  command: string;
  args: readonly string[];
  env: Record<string, string>;
}

export interface StdioServer {
  pid: number;
  openSession(): Session;
}

export async function startStdioServer({ command, args, env }: StdioTarget): Promise<StdioServer> {
  const child: ChildProcess = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'ignore'] });
  const { stdin, stdout, pid } = child;
  if (stdin === null || stdout === null || pid === undefined) throw new Error(`${command} has not started`);
  const waiting = new Map<number, (answer: AppResult) => void>();
  createInterface({ input: stdout }).on('line', (line) => {
    const answer = JSON.parse(line) as AppResult;
    if (answer.id === undefined) return;
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
  });
  const request = (id: number, line: string): Promise<AppResult> =>
    new Promise((resolve) => {
      waiting.set(id, resolve);
      stdin.write(`${line}\n`);
    });
  await request(0, INITIALIZE);
  stdin.write(`${INITIALIZED}\n`);

  let lastId = 0;
  return {
    pid,
    openSession: () => ({
      async call(text) {
        lastId += 1;
        const id = lastId;
        const params = { name: ECHO, arguments: { text } };
        const line = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params });
        return echoIn(await request(id, line), id);
      },
      close: async () => {},
    }),
  };
}
