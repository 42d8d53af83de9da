/** Runs `pincer mcp-server` as a program and reads its memory use. */
import { readFileSync } from 'node:fs';
import { INITIALIZE, INITIALIZED } from './messages.ts';
import { orderingProgram } from './openclaw/fake-agent.ts';
import { eventually } from './processes.ts';
import { openStdio, type Program, type StdioClient } from './stdio.ts';
import { temporaryFolder } from './temporary-folder.ts';

const GC_REPORT = new URL('../servers/gc-report.ts', import.meta.url).href;
const REPORT_MS = 20_000;

export interface AgentServer extends StdioClient {
  /** Memory in use after a garbage collection. */
  memory(): Promise<NodeJS.MemoryUsage>;
  /** Peak private memory so far, without the shared pages of Node's own file. */
  peakBytes(): number;
}

/** Runs in its own state folder. */
export const agentProgram = (home: string, gatewayUrl: string): Program =>
  orderingProgram({ url: gatewayUrl }, { home });

/** Returns after the server has answered `initialize`. */
export async function openAgentServer(gatewayUrl: string): Promise<AgentServer> {
  const home = temporaryFolder('agent');
  const { command, args, env } = agentProgram(home.path, gatewayUrl);
  const client = openStdio({ command, args: ['--expose-gc', '--import', GC_REPORT, ...args], env: env! });
  let reports = 0;

  const lines = (): string[] => client.stderr().split('\n').slice(0, -1);

  await client.ask(INITIALIZE);
  client.send(INITIALIZED);
  return {
    ...client,
    async memory() {
      process.kill(client.pid, 'SIGUSR2');
      const index = reports++;
      if (!(await eventually(() => lines().length > index, REPORT_MS))) throw new Error(client.stderr());
      return JSON.parse(lines()[index]!) as NodeJS.MemoryUsage;
    },
    peakBytes() {
      const status = readFileSync(`/proc/${client.pid}/status`, 'utf8');
      const kilobytes = (name: string): number =>
        Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
      return (kilobytes('VmHWM') - kilobytes('RssFile')) * 1024;
    },
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}
