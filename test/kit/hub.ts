/** The real hub as a child process, on its own state folder and port. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Era } from '../servers/flags.ts';
import type { JsonObject } from '../servers/json.ts';
import { connect, type Connection, type PostOptions, type Reply } from './http.ts';
import { callText, modernHeaders, parseAnswer, type Answer, type CallText } from './messages.ts';
import { descendants, endIfSame, eventually } from './processes.ts';
import { openStdio, type Program, type StdioClient } from './stdio.ts';

/** PINCER_TEST_ENTRY lets the same suites test another build. */
export const ENTRY =
  process.env['PINCER_TEST_ENTRY'] ??
  fileURLToPath(new URL('../../packages/hub/bin/pincer.js', import.meta.url));

const START_MS = 30_000;
const STOP_MS = 30_000;

export interface HubOptions {
  servers?: Record<string, object>;
  /** The rest of config.json. */
  config?: object;
  env?: Record<string, string>;
  /** Kept after the hub ends. The default is a temporary folder, which is removed. */
  home?: string;
  /** If false, does not wait until every server is listed. */
  ready?: boolean;
  /** Arguments for Node. */
  nodeArgs?: readonly string[];
  /** The working folder. */
  cwd?: string;
  /** A program to start instead of the shipped one. */
  entry?: string;
}

export interface ToolOptions extends CallText, Omit<PostOptions, 'method'> {}

export interface TestHub extends AsyncDisposable {
  home: string;
  origin: string;
  url: string;
  token: string;
  adminToken: string;
  pid: number;
  /** Opens a new connection with the hub's token or another. */
  connect(token?: string): Connection;
  /** Posts on one shared connection; requests wait for each other. */
  post(body: string, options?: PostOptions): Promise<Reply>;
  /** Calls a tool on a new connection and returns the answer. */
  call(tool: string, args?: object, options?: ToolOptions): Promise<Answer>;
  control(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    body?: object,
  ): Promise<{ status: number; value: unknown }>;
  stdio(server?: string): StdioClient;
  /** The command of `pincer stdio`, for clients that start it themselves. */
  stdioProgram(server?: string): Program;
  stderr(): string;
  /** Sends SIGTERM and returns the exit code. */
  stop(): Promise<number | null>;
  kill9(): Promise<void>;
}

export async function startHub(options: HubOptions = {}): Promise<TestHub> {
  const home = options.home ?? join(mkdtempSync(join(tmpdir(), 'pincer-e2e-')), 'home');
  mkdirSync(home, { recursive: true, mode: 0o700 });
  if (options.servers !== undefined || options.config !== undefined)
    writeFileSync(
      join(home, 'config.json'),
      JSON.stringify({ ...options.config, servers: options.servers ?? {} }),
    );
  const { nodeArgs, cwd, entry } = options;
  const env = { ...deviceOf(options), ...options.env };
  const { child, exited, stderr } = spawnHub(home, env, nodeArgs, { cwd, entry });
  const discard = (): void => {
    if (options.home === undefined) rmSync(join(home, '..'), { recursive: true, force: true });
  };
  let leftovers: { pid: number; start: string }[] = [];
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    if (signal === 'SIGKILL') leftovers = descendants(child.pid!);
    child.kill(signal);
    const code = await exited;
    clearTimeout(timer);
    return code;
  };
  const facts = await readFacts(home, child, exited, stderr).catch(async (error: unknown) => {
    await end('SIGKILL');
    discard();
    throw error;
  });
  const { origin, token, adminToken } = facts;
  const shared = connect(origin, token);
  const clients: AsyncDisposable[] = [shared];
  const stdioProgram = (server?: string): Program => ({
    command: process.execPath,
    args: [ENTRY, 'stdio', ...(server === undefined ? [] : ['--server', server])],
    env: { PINCER_HOME: home },
  });
  const control: TestHub['control'] = async (method, path, body) => {
    await using admin = connect(origin, adminToken);
    const text = body === undefined ? '' : JSON.stringify(body);
    const reply = await admin.post(text, { path: `/control/${path}`, method });
    return { status: reply.status, value: JSON.parse(reply.body) as unknown };
  };
  const hub: TestHub = {
    home,
    origin,
    url: `${origin}/mcp`,
    token,
    adminToken,
    pid: child.pid!,
    connect(other = token) {
      const connection = connect(origin, other);
      clients.push(connection);
      return connection;
    },
    post: (body, postOptions) => shared.post(body, postOptions),
    async call(tool, args = {}, { era, id, meta, args: argsText, headers, ...rest } = {}) {
      await using connection = connect(origin, token);
      const body = callText(tool, { era, id, meta, args: argsText ?? JSON.stringify(args) });
      const own = eraHeaders(era, tool);
      const reply = await connection.post(body, { ...rest, headers: { ...own, ...headers } });
      return parseAnswer(reply.messages.at(-1) ?? 'null');
    },
    control,
    stdio(server) {
      const client = openStdio(stdioProgram(server));
      clients.push(client);
      return client;
    },
    stdioProgram,
    stderr,
    stop: () => end('SIGTERM'),
    kill9: async () => void (await end('SIGKILL')),
    async [Symbol.asyncDispose]() {
      for (const client of clients) await client[Symbol.asyncDispose]();
      await end('SIGTERM');
      for (const process of leftovers) endIfSame(process);
      discard();
    },
  };
  if (options.ready !== false) await control('GET', 'tools');
  return hub;
}

/** A test that configures the device wants to use it. */
const deviceOf = ({ config }: HubOptions): Record<string, string> =>
  config !== undefined && 'device' in config ? { PINCER_DEVICE: 'on' } : {};

const eraHeaders = (era: Era | undefined, tool: string): Record<string, string> =>
  era === 'modern' ? modernHeaders('tools/call', tool) : {};

export interface HubProcess {
  child: ChildProcess;
  exited: Promise<number | null>;
  stderr: () => string;
}

/** Starts `pincer up --port 0`. The caller checks whether it starts. */
export function spawnHub(
  home: string,
  env: Record<string, string> = {},
  nodeArgs: readonly string[] = [],
  { cwd, entry = ENTRY }: { cwd?: string | undefined; entry?: string | undefined } = {},
): HubProcess {
  const child = spawn(process.execPath, [...nodeArgs, entry, 'up', '--port', '0'], {
    cwd,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...env, PINCER_HOME: home },
  });
  let written = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (written += chunk));
  const exited = once(child, 'close').then(([code]) => (typeof code === 'number' ? code : null));
  return { child, exited, stderr: () => written };
}

export function readHubFile(home: string): JsonObject | undefined {
  try {
    return JSON.parse(readFileSync(join(home, 'run', 'hub.json'), 'utf8')) as JsonObject;
  } catch {
    return undefined;
  }
}

// oxlint-disable-next-line max-params -- what is known of one child
async function readFacts(
  home: string,
  child: ChildProcess,
  exited: Promise<number | null>,
  stderr: () => string,
): Promise<{ origin: string; token: string; adminToken: string }> {
  let isGone = false;
  void exited.then(() => (isGone = true));
  const isUp = (): boolean => readHubFile(home)?.['pid'] === child.pid;
  const came = await eventually(() => isUp() || isGone, START_MS);
  if (!came || !isUp()) throw new Error(`the hub did not start: ${stderr()}`);
  const { mcp } = readHubFile(home)!['endpoints'] as { mcp: string };
  return {
    origin: new URL(mcp).origin,
    token: readFileSync(join(home, 'mcp-token.txt'), 'utf8'),
    adminToken: readFileSync(join(home, 'admin-token.txt'), 'utf8'),
  };
}
