/** A person who talks to agents through the gateway, as the web chat does. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../../servers/json.ts';
import { reportRepeat } from '../repeats.ts';
import { connectGateway, type GatewayEvent, type GatewaySocket } from './socket.ts';

export interface ToolCall {
  name: string;
  args: unknown;
  isError: boolean;
  /** The text of the tool's result. */
  text: string;
  result: unknown;
  /** Duration at the gateway, in its own whole milliseconds. */
  ms: number;
}

export interface Turn {
  /** The last message of the turn. */
  text: string;
  calls: ToolCall[];
}

export interface Attachment {
  type: 'image' | 'file';
  mimeType: string;
  fileName: string;
  /** Base64. */
  content: string;
}

export interface Operator extends GatewaySocket {
  /** Sends a message in a conversation (`agent:main:<name>`) and waits for the whole answer. */
  turn(sessionKey: string, message: string, attachments?: Attachment[]): Promise<Turn>;
  /** Like `turn`, but returns only the text. */
  chat(sessionKey: string, message: string, attachments?: Attachment[]): Promise<string>;
  /** The payload of the next matching event. */
  nextEvent(name: string, fits?: (payload: JsonObject) => boolean): Promise<JsonObject>;
}

/** Timeout for a turn. */
const TURN_MS = 180_000;
const ENDS: ReadonlySet<unknown> = new Set(['final', 'error', 'aborted']);
/**
 * While OpenClaw applies a change of its config, it refuses turns and plugin commands before running any part of
 * them.
 */
const REFUSED =
  /\bprepared (?:model|reply|inbound) [^"]*(?:superseded|published|pending|settling|retry)|retired registry generation/i;
/** People resend such a message by hand. Each retry is reported. */
const ATTEMPTS = 20;
const PAUSE_MS = 500;

interface Content {
  content?: { type: string; text?: string }[];
}

const textIn = (value: unknown): string =>
  ((value as Content | undefined)?.content ?? []).flatMap(({ text }) => text ?? []).join('\n');

export async function connectOperator(gatewayUrl: string, scopes?: string[]): Promise<Operator> {
  const socket = await connectGateway(gatewayUrl, scopes);

  /** Resolves with the first defined value that `read` returns for an event. */
  function waitFor<T>(what: string, read: (event: GatewayEvent) => T | undefined): Promise<T> {
    const found = Promise.withResolvers<T>();
    const timer = setTimeout(() => found.reject(new Error(`No end of ${what}.`)), TURN_MS);
    const off = socket.onEvent((event) => {
      const value = read(event);
      if (value !== undefined) found.resolve(value);
    });
    return found.promise.finally(() => {
      clearTimeout(timer);
      off();
    });
  }

  /** One attempt; undefined if it was refused. */
  async function say(request: { sessionKey: string; message: string }): Promise<Turn | undefined> {
    const runId = crypto.randomUUID();
    const agentEvents: JsonObject[] = [];
    const ended = waitFor(`the turn "${request.message}"`, ({ event, payload }) => {
      if (payload['runId'] !== runId) return undefined;
      if (event === 'agent') agentEvents.push(payload);
      return event === 'chat' && ENDS.has(payload['state']) ? payload : undefined;
    });
    // The idempotency key is also the id of the run.
    const sent = socket.rpc('chat.send', { ...request, idempotencyKey: runId });
    const [final] = await Promise.all([ended, sent]);
    if (final['state'] === 'final') return { text: textIn(final['message']), calls: callsIn(agentEvents) };
    const ending = JSON.stringify(final);
    if (REFUSED.test(ending)) return undefined;
    throw new Error(`"${request.message}" ended: ${ending}`);
  }

  async function turn(sessionKey: string, message: string, attachments?: Attachment[]): Promise<Turn> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const ended = await say({ sessionKey, message, ...(attachments && { attachments }) });
      if (ended !== undefined) return ended;
      reportRepeat('a message that OpenClaw refused while it applied its configuration', message);
      await sleep(PAUSE_MS);
    }
    throw new Error(`"${message}" was refused ${ATTEMPTS} times.`);
  }

  return {
    ...socket,
    turn,
    chat: async (...request) => (await turn(...request)).text,
    nextEvent: (name, fits = () => true) =>
      waitFor(name, ({ event, payload }) => (event === name && fits(payload) ? payload : undefined)),
  };
}

interface AgentEvent {
  stream: string;
  data: {
    toolCallId?: string;
    name?: string;
    phase?: string;
    startedAt?: number;
    endedAt?: number;
  } & Partial<Pick<ToolCall, 'args' | 'isError' | 'result'>>;
}

/** A call has four events: two of the tool with its arguments and result, two of the item with the time. */
function callsIn(agentEvents: readonly JsonObject[]): ToolCall[] {
  const events = agentEvents as unknown as AgentEvent[];
  const of = (stream: string, phase: string): AgentEvent['data'][] =>
    events.flatMap(({ stream: its, data }) => (its === stream && data.phase === phase ? data : []));
  return of('tool', 'result').map(({ toolCallId, name = '', isError = false, result }) => {
    const isSame = (data: AgentEvent['data']): boolean => data.toolCallId === toolCallId;
    const item = of('item', 'end').find(isSame);
    const args = of('tool', 'start').find(isSame)?.args;
    const ms = (item?.endedAt ?? Number.NaN) - (item?.startedAt ?? 0);
    return { name, args, isError, text: textIn(result), result, ms };
  });
}
