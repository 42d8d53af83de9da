/**
 * The app proxy as an experienced person writes it in an afternoon: node:http and ws, sessions in a Map. Bearer tokens,
 * heartbeat, expiry and timeouts are there; policy, audit, limits, checks of what comes in and a store are not.
 * The measure for everything else. Usage: PORT=… APP_TOKEN=… OPENCLAW_TOKEN=… PING_MS=… node hand-proxy.ts
 */
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';

interface Tool {
  name: string;
  description?: string;
  input_schema?: object;
}

interface Session {
  id: string;
  tools: Tool[];
  bridge: WebSocket | undefined;
  lastUsed: number;
  lastPong: number;
  lastRequest: number;
}

interface Waiting {
  session: Session;
  timer: NodeJS.Timeout;
  answer(result: object): void;
}

interface Rpc {
  id?: number | string;
  method: string;
  params?: { name: string; arguments?: object; protocolVersion?: string };
}

interface FromApp {
  type: string;
  request_id: string;
  ok: boolean;
  content?: object;
  error?: string;
}

const { PORT, APP_TOKEN, OPENCLAW_TOKEN, PING_MS } = process.env;
const pingMs = Number(PING_MS);
const TTL_MS = 300_000;
const SWEEP_MS = 15_000;
const CALL_MS = 120_000;
const PING = '{"type":"ping"}';

const sessions = new Map<string, Session>();
const waiting = new Map<string, Waiting>();

function send(response: ServerResponse, status: number, value?: object): void {
  const body = value === undefined ? '' : JSON.stringify(value);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

function read(request: IncomingMessage, onBody: (body: unknown) => void, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    let body: unknown;
    try {
      body = JSON.parse((chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString());
    } catch {
      send(response, 400, { error: 'not JSON' });
      return;
    }
    onBody(body);
  });
}

const failed = (text: string): object => ({ content: [{ type: 'text', text }], isError: true });

function invoke(
  session: Session,
  { name, arguments: args = {} }: NonNullable<Rpc['params']>,
): Promise<object> {
  const { bridge } = session;
  if (bridge === undefined) return Promise.resolve(failed('Bridge is not connected'));
  session.lastRequest += 1;
  const requestId = `${session.id}:${session.lastRequest}`;
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      waiting.delete(requestId);
      resolve(failed('Tool timed out'));
    }, CALL_MS);
    waiting.set(requestId, { session, timer, answer: resolve });
    bridge.send(
      JSON.stringify({
        type: 'invoke_tool',
        mcpSessionId: session.id,
        request_id: requestId,
        tool_name: name,
        arguments: args,
      }),
    );
  });
}

function onFrame(session: Session, frame: FromApp): void {
  if (frame.type === 'pong') session.lastPong = Date.now();
  if (frame.type !== 'invoke_result') return;
  const call = waiting.get(frame.request_id);
  if (call === undefined) return;
  waiting.delete(frame.request_id);
  clearTimeout(call.timer);
  if (!frame.ok) call.answer(failed(frame.error ?? 'The tool failed'));
  else {
    const text = JSON.stringify(frame.content);
    call.answer({
      content: [{ type: 'text', text }],
      structuredContent: frame.content,
      isError: false,
      resultType: 'complete',
    });
  }
}

function resultOf(session: Session, { method, params }: Rpc): object | Promise<object> | undefined {
  const serverInfo = { name: 'hand-proxy', version: '1.0.0' };
  const capabilities = { tools: {} };
  if (method === 'tools/call' && params !== undefined) return invoke(session, params);
  if (method === 'tools/list')
    return {
      tools: session.tools.map(({ name, description, input_schema: inputSchema }) => ({
        name,
        description,
        inputSchema,
      })),
    };
  if (method === 'initialize') return { protocolVersion: params?.protocolVersion, capabilities, serverInfo };
  if (method === 'server/discover')
    return { supportedVersions: ['2026-07-28'], capabilities, serverInfo, resultType: 'complete' };
  return method === 'ping' ? {} : undefined;
}

async function onRpc(session: Session, message: Rpc, response: ServerResponse): Promise<void> {
  session.lastUsed = Date.now();
  if (message.id === undefined) {
    send(response, 202);
    return;
  }
  const envelope = { jsonrpc: '2.0', id: message.id };
  const result = await resultOf(session, message);
  if (result === undefined)
    send(response, 200, { ...envelope, error: { code: -32601, message: 'Unknown method' } });
  else send(response, 200, { ...envelope, result });
}

function register({ tools }: { tools: Tool[] }, response: ServerResponse): void {
  const id = randomBytes(16).toString('hex');
  const now = Date.now();
  sessions.set(id, { id, tools, bridge: undefined, lastUsed: now, lastPong: now, lastRequest: 0 });
  send(response, 200, {
    mcpSessionId: id,
    bridge_url: `ws://127.0.0.1:${PORT}/v1/chat/sessions/${id}/bridge`,
    mcp_url: `http://127.0.0.1:${PORT}/v1/mcp/${id}`,
  });
}

const SESSIONS = '/v1/chat/sessions';
const MCP = '/v1/mcp';
const isApp = ({ headers }: IncomingMessage): boolean => headers.authorization === `Bearer ${APP_TOKEN}`;
const isOpenClaw = ({ headers }: IncomingMessage): boolean =>
  headers.authorization === `Bearer ${OPENCLAW_TOKEN}`;

const server = createServer((request, response) => {
  const { method, url = '', headers } = request;
  if (url === '/health') response.end('ok');
  else if (url.startsWith(SESSIONS)) {
    if (!isApp(request)) send(response, 401);
    else if (method === 'POST')
      read(request, (body) => register(body as { tools: Tool[] }, response), response);
    else send(response, sessions.delete(url.slice(SESSIONS.length + 1)) ? 200 : 404, { ok: true });
  } else if (url.startsWith(MCP)) {
    const session = sessions.get(url.slice(MCP.length + 1) || String(headers['mcp-session-id']));
    if (!isOpenClaw(request)) send(response, 401);
    else if (session === undefined) send(response, 404, { error: 'unknown session' });
    else if (method === 'POST') read(request, (body) => void onRpc(session, body as Rpc, response), response);
    else send(response, 405);
  } else send(response, 404);
});

const bridges = new WebSocketServer({
  noServer: true,
  perMessageDeflate: false,
  maxPayload: 16 * 1024 * 1024,
});
server.on('upgrade', (request, socket, head) => {
  bridges.handleUpgrade(request, socket, head, (bridge) => {
    const session = sessions.get(request.url?.slice(SESSIONS.length + 1, -'/bridge'.length) ?? '');
    bridge.on('error', () => bridge.terminate());
    if (!isApp(request)) bridge.close(4401);
    else if (session === undefined) bridge.close(4404);
    else {
      session.bridge?.close(4409);
      session.bridge = bridge;
      session.lastPong = Date.now();
      bridge.on('message', (data: Buffer) => onFrame(session, JSON.parse(data.toString()) as FromApp));
      bridge.on('close', () => {
        if (session.bridge !== bridge) return;
        session.bridge = undefined;
        session.lastUsed = Date.now();
        for (const [requestId, call] of waiting) {
          if (call.session !== session) continue;
          waiting.delete(requestId);
          clearTimeout(call.timer);
          call.answer(failed('The bridge was lost'));
        }
      });
    }
  });
});

setInterval(() => {
  const now = Date.now();
  for (const { bridge, lastPong } of sessions.values()) {
    if (bridge === undefined) continue;
    if (now - lastPong > 2 * pingMs) bridge.close(4408);
    else bridge.send(PING);
  }
}, pingMs);

setInterval(() => {
  const now = Date.now();
  for (const { id, bridge, lastUsed } of sessions.values())
    if (bridge === undefined && now - lastUsed > TTL_MS) sessions.delete(id);
}, SWEEP_MS);

server.keepAliveTimeout = 600_000;
server.listen(Number(PORT), '127.0.0.1', 4096);
