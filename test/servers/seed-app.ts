/**
 * An app as a developer writes it from seed 003 alone: `fetch`, `ws`, and a handler for each frame. It reconnects by
 * itself, as any app does that runs for longer than a minute.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import WebSocket from 'ws';

export interface SeedTool {
  description: string;
  inputSchema: object;
  run(args: unknown): unknown;
}

export interface SeedAppOptions {
  /** The proxy's address. */
  url: string;
  token?: string;
  chatId?: string;
  tools: Record<string, SeedTool>;
}

export interface SeedApp extends AsyncDisposable {
  sessionId: string;
  mcpUrl: string;
  bridgeUrl: string;
  /** Number of connections so far. */
  connections(): number;
  isConnected(): boolean;
  /** Ends the session and the connection. */
  end(): Promise<void>;
}

const RECONNECT_MS = 100;
/** Timeout for the first connection. */
const CONNECT_MS = 20_000;

interface InvokeTool {
  type: string;
  mcpSessionId: string;
  request_id: string;
  tool_name: string;
  arguments: unknown;
}

export async function startSeedApp({
  url,
  token = '',
  chatId = 'chat-1',
  tools,
}: SeedAppOptions): Promise<SeedApp> {
  const headers: Record<string, string> = token === '' ? {} : { Authorization: `Bearer ${token}` };
  const response = await fetch(`${url}/v1/chat/sessions`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      device_id: 'device-1',
      device_name: 'desktop',
      app_version: '1.0.0',
      chat_id: chatId,
      tools: Object.entries(tools).map(([name, { description, inputSchema }]) => ({
        name,
        path: `/tools/${name}`,
        description,
        input_schema: inputSchema,
      })),
    }),
  });
  if (!response.ok) throw new Error(`no session: ${response.status} ${await response.text()}`);
  const created = (await response.json()) as { mcpSessionId: string; bridge_url: string; mcp_url: string };
  let socket: WebSocket | undefined;
  let connections = 0;
  const ended = new AbortController();

  const running = (async () => {
    while (!ended.signal.aborted) {
      await connectOnce().catch(() => undefined);
      if (!ended.signal.aborted) await sleep(RECONNECT_MS);
    }
  })();

  /** Resolves when the connection has closed. */
  function connectOnce(): Promise<void> {
    return new Promise((resolve, reject) => {
      socket = new WebSocket(created.bridge_url, { headers });
      socket.on('open', () => connections++);
      socket.on('error', reject);
      socket.on('close', () => resolve());
      const own = socket;
      socket.on('message', (data: Buffer) => void onMessage(own, data.toString()));
    });
  }

  async function onMessage(own: WebSocket, text: string): Promise<void> {
    const message = JSON.parse(text) as InvokeTool;
    if (message.type === 'ping') own.send(JSON.stringify({ type: 'pong' }));
    if (message.type !== 'invoke_tool') return;
    const { mcpSessionId, request_id } = message;
    const reply = await answer(message).catch((error: unknown) => ({ ok: false, error: String(error) }));
    own.send(JSON.stringify({ type: 'invoke_result', mcpSessionId, request_id, ...reply }));
  }

  async function answer({ tool_name, arguments: args }: InvokeTool): Promise<object> {
    return { ok: true, content: await tools[tool_name]!.run(args) };
  }

  const isConnected = (): boolean => socket?.readyState === WebSocket.OPEN;

  async function stop(): Promise<void> {
    ended.abort();
    socket?.terminate();
    await running;
  }

  for (let waited = 0; !isConnected() && waited < CONNECT_MS; waited += 5) await sleep(5);
  return {
    sessionId: created.mcpSessionId,
    mcpUrl: created.mcp_url,
    bridgeUrl: created.bridge_url,
    connections: () => connections,
    isConnected,
    async end() {
      await fetch(`${url}/v1/chat/sessions/${created.mcpSessionId}`, { method: 'DELETE', headers });
      await stop();
    },
    [Symbol.asyncDispose]: stop,
  };
}
