/** Maps the methods of both eras to handlers, independent of the transport. */
import type { ShortLivedMap } from '../lib/short-lived-map.ts';
import type { Caller } from '../core/caller.ts';
import type { Calls } from '../core/call/calls.ts';
import { viewName, type CatalogReader, type View } from '../core/catalog/catalog.ts';
import type { Client } from '../core/client.ts';
import { PincerError } from '../core/errors.ts';
import { isLogLevel } from '../core/log-level.ts';
import { RPC, TASKS_EXTENSION, type Era } from '../core/protocol.ts';
import type {
  Asked as AskedQuestion,
  CallerExchange,
  MediaBytes,
  Question,
  Running,
} from '../core/request.ts';
import { BadParamsError } from '../core/call/route.ts';
import { parseBytes, type ByteText } from '../core/wire/byte-text.ts';
import { findMember, writeMembers, isObject } from '../core/wire/members.ts';
import { plainString, type Message } from '../core/wire/message.ts';
import type { Handshake } from './handshake.ts';
import type { LegacyClient } from './legacy-client.ts';
import type { ListMethod, Lists } from './lists.ts';
import type { Listen } from './listen.ts';
import type { MetaTools } from './meta-tools.ts';
import {
  type Failures,
  errorText,
  resultText,
  type Reply,
  type RpcFailure,
  outcomeText,
  notificationText,
} from './reply.ts';
import type { Outcome } from '../core/outcome.ts';
import { refuseQuestion } from './questions.ts';
import { checkHeaderParams } from '../core/call/header-params.ts';
import { decodeHeader, mismatch } from './modern-envelope.ts';

export interface DispatchParts {
  readonly calls: Calls;
  readonly catalog: CatalogReader;
  readonly lists: Lists;
  readonly metaTools: MetaTools;
  readonly handshake: Handshake;
  readonly listen: Listen;
  /**
   * Undefined if every server of the view has sent its lists. Otherwise resolves when they have, or when waiting longer
   * is pointless.
   */
  readonly whenKnown: (view: View) => Promise<void> | undefined;
  /** Forwards a client's notification to the servers with a connection of its own. */
  readonly tellServers: (client: Client, method: string, params: ByteText) => void;
  /** The client has disconnected: drops all state kept for it. */
  readonly forgetClient: (client: Client) => void;
}

export type RunningCalls = Pick<ShortLivedMap<ByteText, Running>, 'get' | 'has' | 'set' | 'delete' | 'size'>;

/** The origin of a message. */
export interface Sender {
  readonly caller: Caller;
  readonly surface: string;
  readonly view: View;
  readonly era: Era;
  readonly client: Client;
  /** The same client, if it sent `initialize`. */
  readonly legacy: LegacyClient | undefined;
  /** Where this client wants media bytes besides their own content. */
  readonly mediaBytes?: MediaBytes | undefined;
  /** The client's timeout, if it sent one. */
  readonly timeoutMs?: number | undefined;
  /** Lets the client find the approval that its call waits for. */
  readonly mark?: string | undefined;
  /** How failures are reported to this client. */
  readonly failures?: Failures | undefined;
  /** Calls under way by the client's request id. */
  readonly running: RunningCalls;
  /** HTTP headers by lower-case name. */
  readonly headers?: ((name: string) => string | undefined) | undefined;
}

/** Returns the call if it is still running, so that the wire can cancel it. */
export type Dispatch = (message: Message, sender: Sender, reply: Reply) => Running | undefined;

export interface Asked {
  readonly message: Message;
  readonly id: ByteText;
  readonly sender: Sender;
  readonly reply: Reply;
}

type Method = (asked: Asked) => Running | undefined;

const NO_SUCH_METHOD: RpcFailure = { code: RPC.methodNotFound, message: 'Method not found', status: 404 };

const LISTS: readonly ListMethod[] = [
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
];
const PASSED_ON = ['prompts/get', 'resources/read', 'completion/complete'];
const PASSED_ON_LEGACY = [...PASSED_ON, 'tasks/get', 'tasks/result', 'tasks/cancel'];
const MODERN_TASKS = ['tasks/get', 'tasks/update', 'tasks/cancel'];

export function createDispatch(parts: DispatchParts): Dispatch {
  const { handshake } = parts;
  const lists = LISTS.map((method) => [method, (asked: Asked) => list(asked, method)] as const);
  const passOn = (methods: readonly string[]) => methods.map((method) => [method, pass] as const);
  const methods: Record<Era, ReadonlyMap<string | undefined, Method>> = {
    legacy: new Map<string, Method>([
      ['initialize', initialize],
      ['ping', (asked) => answer(asked, '{}')],
      ['logging/setLevel', setLevel],
      ['tools/call', callTool],
      ['resources/subscribe', subscribe],
      ['resources/unsubscribe', subscribe],
      ...lists,
      ...passOn(PASSED_ON_LEGACY),
    ]),
    modern: new Map<string, Method>([
      ['server/discover', (asked) => answer(asked, handshake.discover(asked.sender))],
      ['subscriptions/listen', listen],
      ['tools/call', callTool],
      ...lists,
      ...passOn(PASSED_ON),
      ...MODERN_TASKS.map((method) => [method, askForTask] as const),
    ]),
  };

  function initialize(asked: Asked): undefined {
    const { legacy } = asked.sender;
    legacy?.introduce(asked.message);
    legacy?.whenGone(() => parts.forgetClient(legacy));
    answer(asked, handshake.initialize(asked.message, asked.sender));
  }

  function setLevel(asked: Asked): undefined {
    const raw = findMember(asked.message.params, 'level');
    const level = raw === undefined ? undefined : parseBytes(raw);
    if (!isLogLevel(level)) return refuse(asked, invalid('"params.level" must be a log level.'));
    if (asked.sender.legacy !== undefined) asked.sender.legacy.logLevel = level;
    answer(asked, '{}');
  }

  function list(asked: Asked, method: ListMethod): undefined {
    const cursor = findMember(asked.message.params, 'cursor');
    if (cursor !== undefined && !cursor.startsWith('"'))
      return refuse(asked, invalid('"params.cursor" must be a string.'));
    const after = cursor === undefined ? undefined : plainString(cursor);
    const render = (): undefined => {
      const text = parts.lists(method, asked.sender, after);
      return text === undefined ? refuse(asked, invalid('Unknown cursor.')) : answer(asked, text);
    };
    return onceKnown(asked, render);
  }

  function onceKnown(asked: Asked, render: () => undefined): undefined {
    const { view, caller } = asked.sender;
    // Asked even if the answer does not wait: this starts servers that have not sent their lists.
    const known = parts.whenKnown(view);
    if (known === undefined || caller.scopes.openClaw === true) return render();
    known.then(render).catch((error: unknown) => refuse(asked, internal(error)));
  }

  function callTool(asked: Asked): Running | undefined {
    const { message, sender } = asked;
    const meta = parts.metaTools.read(message.params, sender);
    if (meta === undefined) {
      // 2026-07-28: headers that repeat arguments must match the body.
      const failure = checkParamHeaders(parts.catalog, message, sender);
      return failure === undefined ? pass(asked) : refuse(asked, failure);
    }
    if ('params' in meta) return pass({ ...asked, message: { ...message, params: meta.params } });
    const render = (): undefined => answer(asked, meta.answer());
    return meta.waits ? onceKnown(asked, render) : render();
  }

  function listen(asked: Asked): Running | undefined {
    return asked.sender.running.has(asked.id) ? refuse(asked, IN_USE) : parts.listen(asked);
  }

  /** Without a session no client could be notified, and no disconnection would end the subscription. */
  function subscribe(asked: Asked): Running | undefined {
    return asked.sender.legacy === undefined ? refuse(asked, NO_SUBSCRIBER) : pass(asked);
  }

  /** Only a client that declared the extension can have a task. */
  function askForTask(asked: Asked): Running | undefined {
    return asked.sender.client.abilities.tasks ? pass(asked) : refuse(asked, NO_TASKS);
  }

  function pass(asked: Asked): Running | undefined {
    const { message, id, sender } = asked;
    if (sender.running.has(id)) return refuse(asked, IN_USE);
    const { caller, surface, view, era, client, mediaBytes, timeoutMs, mark } = sender;
    const { method = '', params, meta } = message;
    // Only tool results can describe a failure.
    const isChat = method === 'tools/call' && caller.scopes.openClaw === true;
    const failures = sender.failures ?? (isChat ? { server: viewName(view) } : undefined);
    const metaTools = method === 'tools/call' ? parts.metaTools : undefined;
    const exchange = new FrontExchange(asked, failures, metaTools);
    const call = { caller, surface, view, method, params, meta, era, client, mediaBytes, timeoutMs, mark };
    return exchange.track(parts.calls.start(call, exchange));
  }

  return (message, sender, reply) => {
    const { id, method } = message;
    if (id !== undefined && method !== undefined) {
      const asked = { message, id, sender, reply };
      const perform = methods[sender.era].get(method);
      return perform === undefined ? refuse(asked, NO_SUCH_METHOD) : withGoodParams(asked, perform);
    }
    // Not a request: a notification, or the answer to a question.
    if (method === undefined) sender.legacy?.questions.answer(message);
    else if (method === 'notifications/cancelled') cancel(message, sender);
    else if (method === 'notifications/roots/list_changed' && sender.legacy !== undefined)
      parts.tellServers(sender.client, method, writeMembers(message.params));
    reply.accept();
  };
}

function withGoodParams(asked: Asked, perform: Method): Running | undefined {
  try {
    return perform(asked);
  } catch (error) {
    if (error instanceof BadParamsError) return refuse(asked, invalid(error.message));
    throw error;
  }
}

export function answer({ id, reply }: Asked, result: ByteText): undefined {
  reply.answer(resultText(id, result), 200);
}

export function refuse({ id, sender, reply }: Asked, failure: RpcFailure): undefined {
  // The legacy era returns 200 for every message that could be read.
  reply.answer(errorText(id, failure), sender.era === 'modern' ? failure.status : 200);
}

const internal = (error: unknown): RpcFailure => ({
  code: RPC.internalError,
  message: PincerError.from(error).message,
  status: 500,
});

export const invalid = (message: string): RpcFailure => ({ code: RPC.invalidParams, message, status: 400 });

const NO_SUBSCRIBER: RpcFailure = {
  code: RPC.invalidRequest,
  message: 'Subscriptions need a session: send "initialize" first.',
  status: 400,
};

const NO_TASKS: RpcFailure = {
  code: RPC.missingCapability,
  message: `The client has not declared the extension ${TASKS_EXTENSION}.`,
  data: { requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } },
  status: 400,
};

const IN_USE: RpcFailure = {
  code: RPC.invalidRequest,
  message: 'This request id is already in use.',
  status: 400,
};

function cancel({ params }: Message, { running }: Sender): void {
  const id = findMember(params, 'requestId');
  const reason = findMember(params, 'reason');
  if (id !== undefined)
    running.get(id)?.cancel(reason?.startsWith('"') ? plainString(reason) : 'the client cancelled');
}

/** The caller's end of one call: sends notifications, questions and the outcome to the client. */
export class FrontExchange implements CallerExchange {
  readonly #asked: Asked;
  readonly #failures: Failures | undefined;
  readonly #metaTools: MetaTools | undefined;
  #hasEnded = false;

  /** `metaTools` suggests similar names if a tool is unknown. */
  constructor(asked: Asked, failures = asked.sender.failures, metaTools?: MetaTools) {
    this.#asked = asked;
    this.#failures = failures;
    this.#metaTools = metaTools;
  }

  /** Registers the call under the client's id, unless it has already ended. */
  track(running: Running): Running | undefined {
    if (this.#hasEnded) return undefined;
    this.#asked.sender.running.set(this.#asked.id, running);
    return running;
  }

  notify(method: string, params: ByteText): void {
    this.#asked.reply.notify(notificationText(method, params));
  }

  /**
   * Asks on the stream of this answer, so that the client can relate the question; otherwise on any stream of the
   * client.
   */
  ask(question: Question): AskedQuestion {
    const { sender, reply } = this.#asked;
    return sender.legacy?.ask(question, reply) ?? refuseQuestion(question);
  }

  pause(): void {
    this.#asked.reply.pause();
  }

  goOn(): boolean {
    return this.#asked.reply.goOn();
  }

  settle(outcome: Outcome): void {
    const { id, message, sender, reply } = this.#asked;
    this.#hasEnded = true;
    sender.running.delete(id);
    const hinted = this.#metaTools?.hinted(outcome, message.params, sender) ?? outcome;
    const { text, status, pieces } = outcomeText(id, hinted, sender.era, this.#failures);
    reply.answer(text, status, pieces);
  }
}

/** `Mcp-Param-*`: arguments that HTTP headers repeat, so that gateways can route without reading the body. */
function checkParamHeaders(
  catalog: CatalogReader,
  message: Message,
  { view, headers }: Sender,
): RpcFailure | undefined {
  if (headers === undefined) return undefined;
  const name = findMember(message.params, 'name');
  if (!name?.startsWith('"')) return undefined;
  const definition = catalog.resolve(view, plainString(name))?.definition;
  if (definition === undefined || definition.headerParams.length === 0) return undefined;
  const args = findMember(message.params, 'arguments');
  // The method itself reports such arguments.
  if (args !== undefined && !isObject(args)) return undefined;
  const wrong = checkHeaderParams(definition, args, (header) => decodeHeader(headers(header)));
  return wrong === undefined ? undefined : mismatch(wrong);
}
