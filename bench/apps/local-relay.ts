/** `@mcp-b/webmcp-local-relay`: an MCP server on stdio, with a WebSocket for pages with tools. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BENCH_FOLDER, temporaryFolder } from '../process/folders.ts';
import { freePort } from '../process/ports.ts';
import { cleanEnv, endProcesses } from '../process/running.ts';
import { APP_PROGRAM } from './app-on.ts';
import { startChild } from './child.ts';
import type { AppAnswer, AppCommand } from './programs/app.ts';
import { MOST_IN_FLIGHT, type System } from './system.ts';

export const RELAY_PACKAGE = '@mcp-b/webmcp-local-relay';
const PROGRAM = join(BENCH_FOLDER, 'node_modules', RELAY_PACKAGE, 'dist', 'cli.js');
/** Its tools appear a moment after the page has registered them. */
const TOOLS_MS = 500;

/** It offers callers only stdio, so calls go over pipes, and the load process starts it. */
export const localRelay: System = {
  name: 'webmcp-local-relay',
  async open(load) {
    const name = 'webmcp-local-relay';
    const port = await freePort();
    const args = [PROGRAM, '--port', String(port)];
    const target = { command: process.execPath, args, env: cleanEnv(temporaryFolder('relay')) };
    const { pid } = await load.ask({ kind: 'stdio', name, target, sessions: MOST_IN_FLIGHT });
    if (pid === undefined) throw new Error(`${name} has not started`);
    const app = await startChild<AppCommand, AppAnswer>(APP_PROGRAM);
    await app.ask({ dialect: 'webmcp', url: `ws://127.0.0.1:${port}` });
    await sleep(TOOLS_MS);
    const row = { name, way: 'stdio', floor: 'hand-written, legacy', pid };
    return { rows: [row], end: () => endProcesses([app.pid, pid]) };
  },
};
