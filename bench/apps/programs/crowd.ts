/** Many apps in one process. Each has a session and a bridge, answers pings and calls, and reconnects on command. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { obeyParent } from '../child.ts';
import { registerSession } from '../register.ts';
import { toolsOf } from '../tools.ts';

export type CrowdCommand =
  /** Sessions `first` to `first + count - 1`, distributed over the apps in turn. */
  | { kind: 'join'; baseUrl: string; tokens: string[]; first: number; count: number; distinct: boolean }
  /** After the hub was killed: opens every bridge again as soon as the hub listens. */
  | { kind: 'return' }
  | { kind: 'state' };

export interface CrowdState {
  open: number;
  pings: number;
  /** Unexpected close codes and their counts. */
  lost: Record<string, number>;
  sessionIds: string[];
  /** Wall-clock time at which the last bridge was open. */
  allOpenAt: number;
}

interface Member {
  id: string;
  url: string;
  token: string;
}

/** Real devices would all reconnect at once. Here this many do at a time, so that the hub is the bottleneck and not this process. */
const AT_ONCE = 128;
const PROBE_MS = 10;
const PONG = '{"type":"pong"}';

const members: Member[] = [];
const sockets = new Set<WebSocket>();
const lost = new Map<number, number>();
let pings = 0;
let allOpenAt = 0;
let isHubExpected = true;

interface Frame {
  type: string;
  mcpSessionId?: string;
  request_id?: string;
  arguments?: { text: string };
}

function onFrame(socket: WebSocket, data: Buffer): void {
  const { type, mcpSessionId, request_id, arguments: args } = JSON.parse(data.toString()) as Frame;
  if (type === 'ping') {
    pings += 1;
    socket.send(PONG);
  } else if (type === 'invoke_tool') {
    const content = { echoed_text: args?.text };
    socket.send(JSON.stringify({ type: 'invoke_result', mcpSessionId, request_id, ok: true, content }));
  }
}

async function bridge({ url, token }: Member): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  const socket = new WebSocket(url, { headers, perMessageDeflate: false });
  socket.on('message', (data: Buffer) => onFrame(socket, data));
  await once(socket, 'open');
  sockets.add(socket);
  socket.on('error', () => {});
  socket.on('close', (code) => {
    sockets.delete(socket);
    if (isHubExpected) lost.set(code, (lost.get(code) ?? 0) + 1);
  });
}

/** Runs `act` for each item, `AT_ONCE` at a time. */
async function inBatches<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const walk = async (): Promise<void> => {
    while (next < items.length) {
      const item = items[next]!;
      next += 1;
      await act(item);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, walk));
}

async function join({ baseUrl, tokens, first, count, distinct }: Join): Promise<void> {
  const numbers = Array.from({ length: count }, (_, index) => first + index);
  await inBatches(numbers, async (number) => {
    const token = tokens[number % tokens.length]!;
    const tools = toolsOf(distinct ? number : undefined);
    const session = await registerSession({ baseUrl, token, tools, device: `device-${number}` });
    const member = { id: session.sessionId, url: session.bridgeUrl, token };
    members.push(member);
    await bridge(member);
  });
}

type Join = Extract<CrowdCommand, { kind: 'join' }>;

async function comeBack(): Promise<void> {
  isHubExpected = false;
  while (sockets.size > 0) await sleep(PROBE_MS);
  isHubExpected = true;
  const [first, ...others] = members;
  if (first === undefined) return;
  for (;;) {
    const isThere = await bridge(first).then(
      () => true,
      () => false,
    );
    if (isThere) break;
    await sleep(PROBE_MS);
  }
  await inBatches(others, bridge);
}

obeyParent(async (command: CrowdCommand): Promise<CrowdState> => {
  if (command.kind === 'join') await join(command);
  if (command.kind === 'return') await comeBack();
  if (command.kind !== 'state') allOpenAt = Date.now();
  const sessionIds = members.map(({ id }) => id);
  return { open: sockets.size, pings, lost: Object.fromEntries(lost), sessionIds, allOpenAt };
});
