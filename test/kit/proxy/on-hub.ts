/** Apps with their own tokens, and the hub's own address, which also offers their tools. */
import { expect } from 'vitest';
import { openCliHome, type Ran, type RunOptions } from '../cli.ts';
import { listText, textOf, type Answer } from '../messages.ts';
import { sha256 } from '../sha256.ts';
import { openBridge, resultFor, type Frame, type TestBridge } from './bridge.ts';
import { callTool, listTools, type McpOptions } from './mcp.ts';
import { startProxy, type ProxyOptions, type TestProxy } from './proxy.ts';
import { ask, createSession, EXAMPLE } from './sessions.ts';

export const GRACE_MS = 300;
/** A generous timeout for a hang. */
export const WAIT = { timeout: 30_000, interval: 20 };

export const tokenOf = (app: string): string => `token-of-${app}`;

export const appConfig = (name: string, rest: object = {}): object => ({
  name,
  tokenHash: sha256(tokenOf(name)),
  ...rest,
});

export const TWO_APPS = [appConfig('notes'), appConfig('draw')];

/** A whole hub with two apps; the shared token belongs to a third. */
export const startWithApps = (options: ProxyOptions = {}, apps = TWO_APPS): Promise<TestProxy> =>
  startProxy({
    command: 'up',
    ...options,
    config: { proxy: { apps }, ...options.config },
    limits: { bridgeGraceMs: GRACE_MS, ...options.limits },
  });

export interface ConnectedApp extends AsyncDisposable {
  id: string;
  mcpUrl: string;
  bridge: TestBridge;
  /** Names of the called tools, in order. */
  called: string[];
}

export interface AppOptions {
  token?: string;
  says?: string;
  /** Merged into the app description of the seed's example. */
  about?: object;
}

/** Registers tools and connects. Each call is answered with `says` and the received arguments. */
export async function openApp(
  { origin }: TestProxy,
  tools: readonly object[],
  { token = tokenOf('notes'), says = 'notes', about = {} }: AppOptions = {},
): Promise<ConnectedApp> {
  const { mcpSessionId, mcp_url } = await createSession(origin, { ...EXAMPLE, ...about, tools }, token);
  return { mcpUrl: mcp_url, ...(await comeBack(origin, mcpSessionId, { token, says })) };
}

/** Opens a bridge for an existing session. */
export async function comeBack(
  origin: string,
  id: string,
  { token = tokenOf('notes'), says = 'notes' }: AppOptions = {},
): Promise<Omit<ConnectedApp, 'mcpUrl'>> {
  const url = `${origin.replace('http', 'ws')}/v1/chat/sessions/${id}/bridge`;
  const bridge = await openBridge(url, { token });
  const called: string[] = [];
  bridge.socket.on('message', (data: Buffer) => {
    const frame = JSON.parse(data.toString()) as Frame;
    if (frame.type !== 'invoke_tool') return;
    called.push(frame.tool_name!);
    bridge.send(resultFor(frame, { says, given: frame.arguments }));
  });
  return { id, bridge, called, [Symbol.asyncDispose]: () => bridge[Symbol.asyncDispose]() };
}

export const appAnswerIn = (answer: Answer): { says: string; given: unknown } =>
  JSON.parse(textOf(answer)) as { says: string; given: unknown };

export interface AtHub {
  list(): Promise<string[]>;
  /** Waits for this list, because several changes are announced together. */
  expectTools(names: readonly string[]): Promise<void>;
  call(tool: string, args?: object, options?: McpOptions): Promise<Answer>;
  /** The status of a list request. */
  status(): Promise<number>;
}

/** Uses the token of the state folder, or another. */
export function onHub({ hubOrigin, hubToken }: TestProxy, path = '/mcp', token = hubToken): AtHub {
  const url = hubOrigin + path;
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const list = async (): Promise<string[]> =>
    (await listTools(url, { token })).map(({ name }) => name).toSorted();
  return {
    list,
    expectTools: (names) => expect.poll(list, WAIT).toEqual(names),
    call: async (tool, args = {}, options = {}) =>
      (await callTool(url, tool, args, { token, ...options })).answer,
    status: async () => (await ask(url, { method: 'POST', token, headers, body: listText() })).status,
  };
}

/** Runs the command line on the state folder of a running hub. */
export async function runCli(
  { home }: Pick<TestProxy, 'home'>,
  args: string[],
  options: RunOptions = {},
): Promise<Ran> {
  await using cli = openCliHome();
  return await cli.run(args, { ...options, env: { PINCER_HOME: home, ...options.env } });
}

export async function cliJson(proxy: TestProxy, ...args: string[]): Promise<Record<string, unknown>> {
  const { stdout, stderr } = await runCli(proxy, [...args, '--json']);
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as Record<string, unknown>;
}
