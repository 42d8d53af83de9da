/** Starts the server behind a subject, a new one for each. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BENCH_FOLDER, temporaryFolder } from '../process/folders.ts';
import { endProcesses, startProcess } from '../process/running.ts';
import type { HttpCase, Upstream } from '../subjects/subject.ts';

export interface StartedUpstream {
  upstream: Upstream;
  end(): Promise<void>;
}

/** The subject starts it itself, as its child. */
export function stdioUpstream(...args: string[]): Upstream {
  const program = join(BENCH_FOLDER, 'servers', 'stdio-echo.mjs');
  return { kind: 'stdio', command: process.execPath, args: [program, ...args] };
}

async function startHttpServer(): Promise<StartedUpstream> {
  const folder = temporaryFolder('upstream');
  const program = join(BENCH_FOLDER, 'servers', 'http-echo.mjs');
  const server = await startProcess({ command: process.execPath, args: [program], folder });
  let port = '';
  while (port === '') {
    if (server.exited()) throw new Error(`the HTTP server ended: ${server.logTail()}`);
    await sleep(10);
    port = readFileSync(join(folder, 'output.log'), 'utf8').trim();
  }
  return {
    upstream: { kind: 'http', url: `http://127.0.0.1:${port}/mcp` },
    end: () => endProcesses([server.pid]),
  };
}

export async function startUpstream(kind: HttpCase): Promise<StartedUpstream> {
  if (kind === 'http') return startHttpServer();
  return { upstream: stdioUpstream(), end: async () => {} };
}
