/** The real app proxy as a child process, on a state folder, a working folder and a port of its own. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ENTRY, readHubFile } from '../hub.ts';
import { eventually } from '../processes.ts';

const START_MS = 30_000;
const STOP_MS = 30_000;

export const APP_TOKEN = 'app-token-of-the-test';
export const OPENCLAW_TOKEN = 'openclaw-token-of-the-test';
const TOKENS = { OPENCLAW_PROXY_APP_TOKEN: APP_TOKEN, OPENCLAW_PROXY_OPENCLAW_TOKEN: OPENCLAW_TOKEN };

export interface ProxyOptions {
  /** `proxy` runs the proxy alone, `up` the whole hub. */
  command?: 'proxy' | 'up';
  /** All of config.json but for the limits. */
  config?: object;
  limits?: Record<string, number>;
  /** Over the two tokens; an empty value leaves a variable out. */
  env?: Record<string, string>;
  /** Text of a file `.env` in the working folder. */
  dotenv?: string;
  /** By default a free one. */
  port?: number;
  /** Holds the state and the working folder, and is kept; by default a temporary one, which goes. */
  folder?: string;
  args?: readonly string[];
}

export interface TestProxy extends AsyncDisposable {
  /** The state folder. */
  home: string;
  /** Of the proxy: `http://127.0.0.1:<port>`. */
  origin: string;
  port: number;
  /** Of the local listener. */
  hubOrigin: string;
  hubToken: string;
  pid: number;
  stderr(): string;
  stop(): Promise<number | null>;
  kill9(): Promise<void>;
}

export interface ProxyProcess {
  child: ChildProcess;
  home: string;
  exited: Promise<number | null>;
  stderr(): string;
  stdout(): string;
  discard(): void;
}

/** Whether it comes up is for the caller to see. */
export function spawnProxy(options: ProxyOptions = {}): ProxyProcess {
  const { command = 'proxy', config = {}, limits = {}, dotenv, port = 0, args = [] } = options;
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'pincer-proxy-'));
  const [home, cwd] = [join(folder, 'home'), join(folder, 'work')];
  for (const path of [home, cwd]) mkdirSync(path, { recursive: true, mode: 0o700 });
  writeFileSync(join(home, 'config.json'), JSON.stringify({ ...config, limits }), { mode: 0o600 });
  if (dotenv !== undefined) writeFileSync(join(cwd, '.env'), dotenv);
  const ports = port === -1 ? [] : [command === 'up' ? '--proxy-port' : '--port', String(port)];
  const child = spawn(
    process.execPath,
    [ENTRY, command, ...(command === 'up' ? ['--port', '0'] : []), ...ports, ...args],
    { stdio: ['ignore', 'pipe', 'pipe'], cwd, env: environment(home, options.env) },
  );
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (chunk: string) => (written[name] += chunk));
  return {
    child,
    home,
    exited: once(child, 'close').then(([code]) => (typeof code === 'number' ? code : null)),
    stderr: () => written.stderr,
    stdout: () => written.stdout,
    discard() {
      if (options.folder === undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Nothing of whoever runs the test decides what it sees. */
function environment(home: string, own: Record<string, string> = {}): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('OPENCLAW_'));
  const given = Object.entries({ ...TOKENS, ...own }).filter(([, value]) => value !== '');
  return { ...Object.fromEntries(inherited), ...Object.fromEntries(given), PINCER_HOME: home };
}

export async function startProxy(options: ProxyOptions = {}): Promise<TestProxy> {
  const started = spawnProxy(options);
  const { child, home, exited, stderr, discard } = started;
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    child.kill(signal);
    const code = await exited;
    clearTimeout(timer);
    return code;
  };
  const isUp = (): boolean => readHubFile(home)?.['pid'] === child.pid;
  await eventually(() => isUp() || child.exitCode !== null, START_MS);
  const { mcp, proxy } = (readHubFile(home)?.['endpoints'] ?? {}) as { mcp?: string; proxy?: string };
  if (!isUp() || mcp === undefined || proxy === undefined) {
    await end('SIGKILL');
    discard();
    throw new Error(`the proxy did not come up: ${stderr()}${started.stdout()}`);
  }
  return {
    home,
    origin: proxy,
    port: Number(new URL(proxy).port),
    hubOrigin: new URL(mcp).origin,
    hubToken: readFileSync(join(home, 'mcp-token.txt'), 'utf8'),
    pid: child.pid!,
    stderr,
    stop: () => end('SIGTERM'),
    kill9: async () => void (await end('SIGKILL')),
    async [Symbol.asyncDispose]() {
      await end('SIGTERM');
      discard();
    },
  };
}
