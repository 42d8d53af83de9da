/** The real app proxy as a child process, with its own state folder, working folder and port. */
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
  /** All of config.json except the limits. */
  config?: object;
  limits?: Record<string, number>;
  /** Merged over the two tokens; an empty value removes a variable. */
  env?: Record<string, string>;
  /** Text of a file `.env` in the working folder. */
  dotenv?: string;
  /** By default a free port. */
  port?: number;
  /** Holds the state and the working folder, and is kept. The default is a temporary folder, which is removed. */
  folder?: string;
  args?: readonly string[];
}

export interface TestProxy extends AsyncDisposable {
  /** The state folder. */
  home: string;
  /** The proxy's address: `http://127.0.0.1:<port>`. */
  origin: string;
  port: number;
  /** The local listener's address. */
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

/** The caller checks whether it starts. */
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

/** Leaves out variables of this machine that would change the result. */
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
    throw new Error(`the proxy did not start: ${stderr()}${started.stdout()}`);
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
