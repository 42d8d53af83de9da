/** Every listener and path that can run a tool, in one process. A call leaves a file, or a frame at an app. */
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { callText } from '../../messages.ts';
import { openBridge, resultFor, type Frame } from '../../proxy/bridge.ts';
import { listTools } from '../../proxy/mcp.ts';
import { OPENCLAW_TOKEN, startProxy, type TestProxy } from '../../proxy/proxy.ts';
import { anyTool, createSession, EXAMPLE } from '../../proxy/sessions.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { allowPrograms, USES_DEVICE } from '../policy.ts';
import type { Endpoint } from '../raw-request.ts';

export interface ToolEndpoint extends Endpoint {
  /** The body of a call that leaves this mark. */
  call(mark: string): string;
  marks(): string[];
}

export const ENDPOINTS = ['/', '/mcp', '/mcp/device', '/v1/mcp/{id}', '/v1/mcp'] as const;
export type EndpointName = (typeof ENDPOINTS)[number];

export interface Endpoints extends AsyncDisposable {
  proxy: TestProxy;
  get(name: EndpointName): ToolEndpoint;
}

export async function openEndpoints(): Promise<Endpoints> {
  await using started = new AsyncDisposableStack();
  const folder = started.use(temporaryFolder('endpoints')).path;
  const marks = join(folder, 'marks');
  mkdirSync(marks);
  allowPrograms(join(folder, 'home'));
  const proxy = started.use(await startProxy({ command: 'up', folder, env: USES_DEVICE }));
  const local = { origin: proxy.hubOrigin, token: proxy.hubToken };
  const endpoints = new Map<EndpointName, ToolEndpoint>();
  for (const path of ['/', '/mcp', '/mcp/device'] as const) {
    const own = join(marks, path.replaceAll('/', '-'));
    mkdirSync(own);
    const tools = await listTools(`${local.origin}${path}`, { token: local.token });
    // The tool's name differs from path to path.
    const name = tools.map((tool) => tool.name).find((tool) => /^(?:device__)?system[._]run$/.test(tool));
    if (name === undefined) throw new Error(`${path} offers no tool that runs programs`);
    endpoints.set(path, {
      ...local,
      path,
      call: (mark) => callText(name, { args: JSON.stringify({ command: ['touch', join(own, mark)] }) }),
      marks: () => (existsSync(own) ? readdirSync(own) : []),
    });
  }
  const session = await createSession(proxy.origin, { ...EXAMPLE, tools: [anyTool('mark')] });
  const bridge = started.use(await openBridge(session.bridge_url));
  const received: string[] = [];
  bridge.socket.on('message', (data: Buffer) => {
    const frame = JSON.parse(data.toString()) as Frame;
    if (frame.type !== 'invoke_tool') return;
    received.push((frame.arguments as { mark: string }).mark);
    bridge.send(resultFor(frame, 'done'));
  });
  for (const path of ['/v1/mcp/{id}', '/v1/mcp'] as const)
    endpoints.set(path, {
      origin: proxy.origin,
      token: OPENCLAW_TOKEN,
      path: path.replace('{id}', session.mcpSessionId),
      ...(path === '/v1/mcp' && { lines: [`MCP-Session-Id: ${session.mcpSessionId}`] }),
      call: (mark) => callText('mark', { args: JSON.stringify({ mark: `${path} ${mark}` }) }),
      marks: () =>
        received.flatMap((mark) => (mark.startsWith(`${path} `) ? [mark.slice(path.length + 1)] : [])),
    });
  const rest = started.move();
  return {
    proxy,
    get: (name) => endpoints.get(name)!,
    [Symbol.asyncDispose]: () => rest.disposeAsync(),
  };
}
