/** The app's end of a bridge, on which the test sends every frame. */
import WebSocket from 'ws';
import { eventually } from '../processes.ts';
import { APP_TOKEN } from './proxy.ts';

export interface Frame {
  type: string;
  mcpSessionId?: string;
  request_id?: string;
  tool_name?: string;
  arguments?: unknown;
  [member: string]: unknown;
}

export interface Closed {
  code: number;
  reason: string;
}

export interface TestBridge extends AsyncDisposable {
  socket: WebSocket;
  /** All received texts, pings included. */
  texts: string[];
  frames: Frame[];
  /** The subprotocol that the proxy has chosen. */
  protocol: string;
  send(frame: object | string): void;
  /** The first frame of this type that was not returned yet. */
  next(type: string): Promise<Frame>;
  closed: Promise<Closed>;
  isClosed(): boolean;
  /** Closes normally. */
  close(): Promise<Closed>;
}

export interface BridgeOptions {
  token?: string | undefined;
  protocols?: string[];
  headers?: Record<string, string>;
  /** If false, pings are not answered. */
  pongs?: boolean;
}

const WAIT_MS = 30_000;
const withToken: BridgeOptions = { token: APP_TOKEN };

/** Rejects with the status if the handshake failed. */
export async function openBridge(url: string, options: BridgeOptions = withToken): Promise<TestBridge> {
  const { token, protocols = [], headers = {}, pongs = true } = options;
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const socket = new WebSocket(url, protocols, { headers: { ...authorization, ...headers } });
  const texts: string[] = [];
  const frames: Frame[] = [];
  const unread: Frame[] = [];
  let end: Closed | undefined;
  const closed = new Promise<Closed>((resolve) => {
    socket.on('close', (code, reason) => resolve((end = { code, reason: reason.toString() })));
  });
  socket.on('message', (data: Buffer) => {
    const text = data.toString('utf8');
    const frame = JSON.parse(text) as Frame;
    texts.push(text);
    frames.push(frame);
    unread.push(frame);
    if (frame.type === 'ping' && pongs) socket.send('{"type":"pong"}');
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
    socket.once('unexpected-response', (_request, response) =>
      reject(new Error(`refused with ${response.statusCode}`)),
    );
  });
  socket.on('error', () => {});
  const close = (): Promise<Closed> => {
    socket.close(1000);
    return closed;
  };
  return {
    socket,
    texts,
    frames,
    protocol: socket.protocol,
    send: (frame) => socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame)),
    async next(type) {
      let at = -1;
      const came = await eventually(
        () => (at = unread.findIndex((frame) => frame.type === type)) >= 0,
        WAIT_MS,
        5,
      );
      if (!came) throw new Error(`no ${type} came, but ${texts.slice(-5).join(' ').slice(0, 500)}`);
      return unread.splice(at, 1)[0]!;
    },
    closed,
    isClosed: () => end !== undefined,
    close,
    async [Symbol.asyncDispose]() {
      if (end === undefined) socket.terminate();
      await closed;
    },
  };
}

/** The close code of a connection that the proxy accepts and then closes. */
export async function closeOf(url: string, options: BridgeOptions = withToken): Promise<Closed> {
  await using bridge = await openBridge(url, options);
  return await bridge.closed;
}

/** The seed's answer to a call. */
export const resultFor = (
  { mcpSessionId, request_id }: Frame,
  content: unknown,
  rest: object = {},
): object => ({
  type: 'invoke_result',
  mcpSessionId,
  request_id,
  ok: true,
  content,
  ...rest,
});
