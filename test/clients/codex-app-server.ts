/** Codex as its editors use it: JSON-RPC by lines. `codex mcp list` reads settings only; this connects. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Home } from './home.ts';
import { PROGRAMS } from './programs.ts';

export interface CodexAppServer extends AsyncDisposable {
  ask(method: string, params: object): Promise<unknown>;
}

/** Without these it asks for plugins and opens a connection to its model before anybody has said a word. */
const OFFLINE = [
  ...['plugins', 'apps', 'shell_snapshot'].flatMap((feature) => ['--disable', feature]),
  '--config=model_provider="none"',
  '--config=model_providers.none={name="none",base_url="http://127.0.0.1:9/v1"}',
];
/** A generous bound for a hang. */
const ANSWER_MS = 30_000;

interface Answer {
  id?: number;
  result?: unknown;
  error?: { message: string };
}

export async function startCodexAppServer(home: Home, env: Record<string, string>): Promise<CodexAppServer> {
  const child = spawn(process.execPath, [PROGRAMS.codex, 'app-server', ...OFFLINE], {
    cwd: home.folder,
    env: { ...home.env, ...env },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const exited = once(child, 'exit');
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, result, error } = JSON.parse(line) as Answer;
    const waiter = id === undefined ? undefined : waiting.get(id);
    if (error === undefined) waiter?.resolve(result);
    else waiter?.reject(new Error(error.message));
  });
  const send = (message: object): void => void child.stdin.write(`${JSON.stringify(message)}\n`);
  const ask = async (method: string, params: object): Promise<unknown> => {
    const id = waiting.size + 1;
    const waiter = Promise.withResolvers<unknown>();
    waiting.set(id, waiter);
    send({ id, method, params });
    const timer = setTimeout(() => waiter.reject(new Error(`no answer to ${method}`)), ANSWER_MS);
    return waiter.promise.finally(() => clearTimeout(timer));
  };
  const clientInfo = { name: 'pincer-clients', title: null, version: '1.0.0' };
  await ask('initialize', { clientInfo, capabilities: null });
  send({ method: 'initialized' });
  return {
    ask,
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      const timer = setTimeout(() => child.kill('SIGKILL'), 5_000);
      await exited;
      clearTimeout(timer);
    },
  };
}
