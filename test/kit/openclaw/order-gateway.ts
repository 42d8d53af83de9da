/** A gateway without an agent: it accepts orders of any size and answers them as a test sets. */
import type { Duplex } from 'node:stream';
import { eventText, responseText } from './gateway-texts.ts';
import { frameOf } from './frames.ts';
import { openSocketServer } from './socket-server.ts';

export interface Arrived {
  readonly runId: string;
  readonly message: string;
  readonly attachments: readonly { readonly mimeType: string; readonly content: string }[];
  /** Arrival time of the last byte. */
  readonly atMs: number;
}

/** Sends an event of the run; resolves when the socket can take the next one. */
export type Tell = (event: 'chat' | 'agent', payload: object) => Promise<void>;

export interface OrderGatewaySettings {
  /** Merged into the default policy, which allows more than any test sends. */
  readonly policy?: object;
  /** The agent's work. By default it answers "done" at once. */
  readonly work?: (order: Arrived, tell: Tell) => Promise<void>;
}

export interface OrderGateway extends AsyncDisposable {
  readonly url: string;
  /** The next order. */
  next(): Promise<Arrived>;
  /** Resolves when all received orders are answered. */
  idle(): Promise<void>;
}

interface Request {
  readonly id: string;
  readonly method: string;
  readonly params: object;
}

interface Sent {
  readonly idempotencyKey: string;
  readonly message: string;
  readonly attachments?: Arrived['attachments'];
}

const ANY_SIZE = 1024 ** 3;
const POLICY = {
  maxPayload: ANY_SIZE,
  tickIntervalMs: 30_000,
  attachments: { maxBytes: ANY_SIZE, maxImageBytes: ANY_SIZE },
};
/** The limits of OpenClaw 2026.9.6. */
export const REAL_POLICY = {
  maxPayload: 26_214_400,
  attachments: { maxBytes: 19_464_192, maxImageBytes: 6_291_456 },
};

export const sayDone = (order: Arrived, tell: Tell): Promise<void> =>
  tell('chat', {
    runId: order.runId,
    sessionKey: 'agent:main:stand-in',
    seq: 1_000_000,
    state: 'final',
    message: { role: 'assistant', content: [{ type: 'text', text: 'done' }] },
  });

export async function openOrderGateway({
  policy = {},
  work = sayDone,
}: OrderGatewaySettings = {}): Promise<OrderGateway> {
  const waiting: ((order: Arrived) => void)[] = [];
  const working = new Set<Promise<void>>();

  function onRequest(socket: Duplex, { id, method, params }: Request, atMs: number): void {
    const answer = (payload: object): void => void send(socket, responseText(id, payload));
    if (method === 'connect') return answer(hello(policy));
    if (method !== 'chat.send') return answer({ artifacts: [], messages: [] });
    const { idempotencyKey: runId, message, attachments = [] } = params as Sent;
    answer({ runId, status: 'started' });
    const order: Arrived = { runId, message, attachments, atMs };
    waiting.shift()?.(order);
    const done = work(order, (event, payload) => send(socket, eventText(event, payload)));
    working.add(done);
    void done.finally(() => working.delete(done));
  }

  const server = await openSocketServer((socket, text, atMs) =>
    onRequest(socket, JSON.parse(text) as Request, atMs),
  );
  return {
    ...server,
    idle: async () => void (await Promise.all(working)),
    next: () => new Promise((resolve) => waiting.push(resolve)),
  };
}

/** Resolves when the socket can take more, or is closed. */
async function send(socket: Duplex, text: string): Promise<void> {
  if (socket.destroyed || socket.write(frameOf(text))) return;
  const room = Promise.withResolvers<void>();
  const onRoom = (): void => room.resolve();
  socket.once('drain', onRoom).once('close', onRoom);
  await room.promise;
  socket.off('drain', onRoom).off('close', onRoom);
}

const hello = (policy: object): object => ({
  server: { version: 'stand-in', bootId: 'boot' },
  auth: { scopes: ['operator.admin'] },
  policy: { ...POLICY, ...policy },
});
