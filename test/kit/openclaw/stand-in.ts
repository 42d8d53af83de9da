/** A gateway without an agent: it takes orders of any size, and answers them as a test says. */
import type { Duplex } from 'node:stream';
import { eventText, responseText } from './gateway-texts.ts';
import { frameOf } from './frames.ts';
import { openSocketServer } from './socket-server.ts';

export interface Arrived {
  readonly runId: string;
  readonly message: string;
  readonly attachments: readonly { readonly mimeType: string; readonly content: string }[];
  /** When the last byte of it came. */
  readonly atMs: number;
}

/** Tells an event of the run; resolves when there is room for the next. */
export type Tell = (event: 'chat' | 'agent', payload: object) => Promise<void>;

export interface StandInSettings {
  /** Over what this one announces, which is more than anybody sends. */
  readonly policy?: object;
  /** What the agent does. By default it says "done" at once. */
  readonly work?: (order: Arrived, tell: Tell) => Promise<void>;
}

export interface StandIn extends AsyncDisposable {
  readonly url: string;
  /** The next order that comes. */
  next(): Promise<Arrived>;
  /** Resolves when all orders have been answered that have come. */
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
/** Those of OpenClaw 2026.9.6. */
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

export async function openStandIn({ policy = {}, work = sayDone }: StandInSettings = {}): Promise<StandIn> {
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

/** Resolves when there is room for more, or nobody left who would read it. */
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
