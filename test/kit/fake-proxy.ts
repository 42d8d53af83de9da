/** A fake app proxy: the test sets every answer to a registration and sends every frame. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';
import { eventually } from './processes.ts';

export interface FakeFrame {
  type: string;
  request_id?: string;
  [member: string]: unknown;
}

export interface ScriptedBridge {
  path: string;
  protocols: string[];
  frames: FakeFrame[];
  /** The first frame of this type that was not returned yet. */
  next(type: string): Promise<FakeFrame>;
  send(frame: object): void;
  close(code: number, reason?: string): void;
  isClosed(): boolean;
  /** Disconnects without a close frame. */
  cut(): void;
}

export interface HandRequest {
  method: string;
  path: string;
  authorization: string | undefined;
  body: string;
}

export interface FakeAnswer {
  status: number;
  headers?: Record<string, string>;
  body?: object;
}

export interface HandProxy extends AsyncDisposable {
  url: string;
  requests: HandRequest[];
  bridges: ScriptedBridge[];
  /** Used in order. Once they are used up, a registration creates a session. */
  answers: FakeAnswer[];
  /** Close codes for new bridges in place of a welcome, used in order. */
  closings: number[];
  welcome: { chunk_bytes: number; features: string[] } | undefined;
  bridge(index: number): Promise<ScriptedBridge>;
}

const WAIT_MS = 20_000;

export async function startHandProxy(): Promise<HandProxy> {
  const sockets = new WebSocketServer({ noServer: true, handleProtocols: () => 'pincer.bridge' });
  const server = createServer((request, response) => void answer(request, response));
  server.on('upgrade', (request, socket, head) =>
    sockets.handleUpgrade(request, socket, head, (opened) => accept(opened, request)),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  let made = 0;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = (await request.toArray()).join('');
    const { method = '', url: path = '' } = request;
    proxy.requests.push({ method, path, authorization: readHeader(request.headers.authorization), body });
    const { status, headers = {}, body: given } = proxy.answers.shift() ?? usual(method);
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(given === undefined ? '' : JSON.stringify(given));
  }
  function usual(method: string): FakeAnswer {
    if (method !== 'POST') return { status: 200, body: { ok: true } };
    const id = `s${++made}`;
    const urls = {
      bridge_url: `ws://127.0.0.1:${port}/v1/chat/sessions/${id}/bridge`,
      mcp_url: `http://127.0.0.1:${port}/v1/mcp/${id}`,
    };
    return { status: 200, body: { mcpSessionId: id, ...urls } };
  }
  function accept(socket: WebSocket, request: IncomingMessage): void {
    const frames: FakeFrame[] = [];
    const unread: FakeFrame[] = [];
    const code = proxy.closings.shift();
    socket.on('error', () => {});
    if (code !== undefined) return socket.close(code);
    socket.on('message', (data: Buffer) => {
      const frame = JSON.parse(data.toString()) as FakeFrame;
      frames.push(frame);
      unread.push(frame);
      if (frame.type === 'hello' && proxy.welcome !== undefined)
        socket.send(JSON.stringify({ type: 'welcome', version: 1, epoch: 1, ...proxy.welcome }));
    });
    proxy.bridges.push({
      path: request.url ?? '',
      protocols: (request.headers['sec-websocket-protocol'] ?? '').split(',').map((each) => each.trim()),
      frames,
      async next(type) {
        const place = (): number => unread.findIndex((frame) => frame.type === type);
        if (!(await eventually(() => place() >= 0, WAIT_MS))) throw new Error(`no ${type} came`);
        return unread.splice(place(), 1)[0]!;
      },
      send: (frame) => socket.send(JSON.stringify(frame)),
      close: (closing, reason) => socket.close(closing, reason),
      isClosed: () => socket.readyState === socket.CLOSED,
      cut: () => socket.terminate(),
    });
  }

  const proxy: HandProxy = {
    url: `http://127.0.0.1:${port}`,
    requests: [],
    bridges: [],
    answers: [],
    closings: [],
    welcome: {
      chunk_bytes: 1024 * 1024,
      features: ['progress', 'cancel', 'chunks', 'tools_changed', 'media'],
    },
    async bridge(index) {
      if (!(await eventually(() => proxy.bridges.length > index, WAIT_MS)))
        throw new Error(`no bridge ${index} came`);
      return proxy.bridges[index]!;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}

/** Decodes a header as the hub does: Node returns header bytes as latin1. */
const readHeader = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : Buffer.from(text, 'latin1').toString('utf8');
