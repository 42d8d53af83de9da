/**
 * `/` of the local listener: this machine as an MCP server. Unlike `/mcp`, errors of a tool call are returned as tool
 * results (seed 000, "MCP bridge").
 */
import { type Caller, DEVICE_SOURCE } from '../core/caller.ts';
import type { Running } from '../core/request.ts';
import { parseBytes, type ByteText, jsonBytes } from '../core/wire/byte-text.ts';
import { editMembers, findMember, isObject, type Member } from '../core/wire/members.ts';
import { plainString, type Message } from '../core/wire/message.ts';
import type { Handler } from '../http/local-listener.ts';
import { isRecord } from '../lib/record.ts';
import { VERSION } from '../lib/version.ts';
import type { Dispatch, Sender } from '../mcp/dispatch.ts';
import type { McpHttp } from '../mcp/http.ts';
import { failedText, type Reply } from '../mcp/reply.ts';

/** `dispatch`: the one of `/mcp`. */
export function createDeviceDispatch(dispatch: Dispatch): Dispatch {
  const sessionless = createSessionlessCalls();
  return (message, sender, reply) => {
    const { id, method } = message;
    if (method === 'notifications/cancelled' && sender.legacy === undefined) cancel(message, sender);
    if (method !== 'tools/call' || id === undefined) return dispatch(message, sender, reply);
    // Programs read the payload with its bytes from the text. Models get pictures as images.
    const mediaBytes = isModelClient(sender.client.info) ? undefined : 'in-text';
    // `null` counts as absent.
    const params =
      findMember(message.params, 'arguments') === 'null'
        ? editMembers(message.params, { arguments: undefined })
        : message.params;
    const fault = faultIn(params);
    if (fault === undefined)
      return perform({ ...message, params }, { ...sender, mediaBytes, failures: 'as-results' }, reply);
    reply.answer(failedText(id, fault, sender.era), 200);
    return undefined;
  };

  function perform(message: Message, sender: Sender, reply: Reply): Running | undefined {
    if (sender.legacy !== undefined) return dispatch(message, sender, reply);
    let isAnswered = false;
    let listed: { forget(): void } | undefined;
    const onAnswered = (): void => {
      isAnswered = true;
      listed?.forget();
    };
    const running = dispatch(message, sender, watched(reply, onAnswered));
    if (running !== undefined && !isAnswered) listed = sessionless.add(sender.caller, message.id!, running);
    return running;
  }

  function cancel({ params }: Message, { caller }: Sender): void {
    const id = findMember(params, 'requestId');
    if (id !== undefined) sessionless.cancel(caller, id, 'the client cancelled');
  }
}

const watched = (reply: Reply, onAnswered: () => void): Reply => ({
  ...(reply.isLine && { isLine: reply.isLine }),
  notify: (text) => reply.notify(text),
  ask: (text) => reply.ask(text),
  accept() {
    onAnswered();
    reply.accept();
  },
  linger: () => reply.linger(),
  pause: () => reply.pause(),
  goOn: () => reply.goOn(),
  answer(text, status, pieces) {
    onAnswered();
    reply.answer(text, status, pieces);
  },
});

/** Answers a tool call whose `params` are not an object: it cannot be dispatched. Undefined for other methods. */
export function answerBadParams(message: ByteText, id: ByteText): ByteText | undefined {
  const { method } = parseBytes(message) as { method?: unknown };
  return method === 'tools/call' ? failedText(id, 'Invalid params: expected object', 'legacy') : undefined;
}

function faultIn(params: readonly Member[]): string | undefined {
  const name = findMember(params, 'name');
  if (!name?.startsWith('"')) return "Missing 'name'";
  if (plainString(name).trim() === '') return 'Empty tool name';
  const args = findMember(params, 'arguments');
  return args === undefined || isObject(args) ? undefined : "'arguments' must be a JSON object if present";
}

/** Prefixes of the client name in `initialize`. */
const NAMES = [
  'claude',
  'codex',
  'cursor',
  'gemini',
  'openclaw',
  'visual studio code',
  'windsurf',
  'zed',
  'cline',
];

/** Whether a client passes a tool's text to a model. A picture as text would cost half a million tokens, or fail. */
function isModelClient(info: ByteText | undefined): boolean {
  const value = info === undefined ? undefined : parseBytes(info);
  const name = isRecord(value) && typeof value['name'] === 'string' ? value['name'].toLowerCase() : '';
  return NAMES.some((known) => name.startsWith(known));
}

interface SessionlessCalls {
  /** Call `forget` when the call is answered. */
  add(caller: Caller, id: ByteText, running: Running): { forget(): void };
  cancel(caller: Caller, id: ByteText, reason: string): void;
}

/** Running calls of clients without a session, so that they can cancel them by id. */
export function createSessionlessCalls(): SessionlessCalls {
  const underway = new Map<string, Set<Running>>();
  return {
    add(caller, id, running) {
      const key = keyOf(caller, id);
      const calls = underway.get(key) ?? new Set();
      underway.set(key, calls.add(running));
      return {
        forget() {
          calls.delete(running);
          if (calls.size === 0) underway.delete(key);
        },
      };
    },
    cancel(caller, id, reason) {
      const calls = underway.get(keyOf(caller, id));
      // Clients that share a token may use the same id. Then it is unclear which call to cancel.
      if (calls?.size === 1) for (const running of calls) running.cancel(reason);
    },
  };
}

/** Strings are normalized, and differ from numbers. */
const keyOf = ({ id: caller }: Caller, id: ByteText): string =>
  JSON.stringify([caller, id.startsWith('"') ? jsonBytes(parseBytes(id)) : id]);

interface DeviceFrontParts {
  readonly mcpHttp: Pick<McpHttp, 'handle'>;
  onRejected(status: number): void;
}

export function createDeviceFront({ mcpHttp, onRejected }: DeviceFrontParts): Handler {
  return (request, response, caller) => {
    const { method, headers } = request;
    const isForSession = headers['mcp-session-id'] !== undefined && (method === 'GET' || method === 'DELETE');
    if (method === 'POST' || isForSession) return mcpHttp.handle(request, response, caller, DEVICE_SOURCE);
    request.resume();
    // MCP clients try to open an event stream first. There is none without a session.
    if (method !== 'GET' || headers.accept?.includes('text/event-stream') === true) {
      onRejected(405);
      response.writeHead(405, { allow: 'GET, POST', 'content-type': 'text/plain' }).end('POST only\n');
      return;
    }
    response.writeHead(200, { 'content-type': 'text/plain' }).end(probe(headers.host ?? ''));
  };
}

const probe = (host: string): string =>
  `OpenClaw MCP server. POST JSON-RPC to http://${host}/\nPincer ${VERSION}\n`;
