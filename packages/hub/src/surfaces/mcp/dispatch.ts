/** What a message asks for, in either era, on any wire. */
import type { Caller } from '../../core/caller.ts';
import type { Calls } from '../../core/calls.ts';
import type { View } from '../../core/catalog.ts';
import type { Outcome } from '../../core/outcome.ts';
import {
  LATEST_LEGACY_VERSION,
  LEGACY_VERSIONS,
  META_KEY,
  RPC,
  SUPPORTED_VERSIONS,
  type Era,
} from '../../core/protocol.ts';
import type { Exchange, Running } from '../../core/request.ts';
import { jsonBytes, parseBytes, type ByteText } from '../../core/wire/byte-text.ts';
import { findMember, isObject, readMembers, type Member } from '../../core/wire/members.ts';
import { plainString, type Message } from '../../core/wire/message.ts';
import { errorText, outcomeText, resultText, type Reply, type RpcFailure } from './reply.ts';
import { SERVER_INFO } from './server-info.ts';
import { LIST_TTL_MS } from './tool-list.ts';

export interface DispatchParts {
  readonly calls: Calls;
  readonly toolList: (caller: Caller, view: View, era: Era) => ByteText;
  /** Undefined: every server of the view has been heard. Otherwise resolves when that is so, or not worth waiting for. */
  readonly whenKnown: (view: View) => Promise<void> | undefined;
}

/** Who sent a message, and over what. */
export interface Sender {
  readonly caller: Caller;
  readonly surface: string;
  readonly view: View;
  readonly era: Era;
  readonly session: string | undefined;
  /** This wire can carry notifications that no request asked for. */
  readonly canNotify: boolean;
  /** Calls under way by the id that the client gave them. */
  readonly running: Map<ByteText, Running>;
}

export type Dispatch = (message: Message, sender: Sender, reply: Reply) => Running | undefined;

const EMPTY: readonly Member[] = [];
const NO_SUCH_METHOD: RpcFailure = { code: RPC.methodNotFound, message: 'Method not found', status: 404 };

const fail = (message: string): RpcFailure => ({ code: RPC.invalidParams, message, status: 400 });

export function createDispatch(parts: DispatchParts): Dispatch {
  return (message, sender, reply) => {
    const { id, method } = message;
    // An answer to a request that was never made.
    if (method === undefined) return void reply.accept();
    if (id === undefined) return void onNotification(message, sender, reply);
    const refuse = (failure: RpcFailure): undefined =>
      void reply.answer(errorText(id, failure), sender.era === 'modern' ? failure.status : 200);
    const answer = (result: ByteText): undefined => void reply.answer(resultText(id, result), 200);
    switch (`${sender.era} ${method}`) {
      case 'legacy initialize':
        return answer(initializeResult(message, sender));
      case 'legacy ping':
        return answer('{}');
      case 'modern server/discover':
        return answer(discoverResult(sender));
      case 'legacy tools/list':
      case 'modern tools/list':
        if (findMember(message.params, 'cursor') !== undefined) return refuse(fail('Unknown cursor.'));
        return listTools(sender, answer);
      case 'legacy tools/call':
      case 'modern tools/call':
        return callTool(message, id, sender, reply) ?? undefined;
      default:
        return refuse(NO_SUCH_METHOD);
    }
  };

  function listTools(sender: Sender, answer: (result: ByteText) => void): undefined {
    const known = parts.whenKnown(sender.view);
    const list = (): void => answer(parts.toolList(sender.caller, sender.view, sender.era));
    if (known === undefined) list();
    else void known.then(list);
  }

  function callTool(message: Message, id: ByteText, sender: Sender, reply: Reply): Running | undefined {
    const refuse = (failure: RpcFailure): undefined =>
      void reply.answer(errorText(id, failure), sender.era === 'modern' ? 400 : 200);
    const name = findMember(message.params, 'name');
    if (name === undefined || !name.startsWith('"')) return refuse(fail('"params.name" is a string.'));
    const args = findMember(message.params, 'arguments');
    if (args !== undefined && !isObject(args)) return refuse(fail('"params.arguments" is an object.'));
    const metaRaw = findMember(message.params, '_meta');
    if (metaRaw !== undefined && !isObject(metaRaw)) return refuse(fail('"params._meta" is an object.'));
    if (sender.running.has(id)) return refuse({ ...fail('This id is in use.'), code: RPC.invalidRequest });
    const meta = metaRaw === undefined ? EMPTY : readMembers(metaRaw);
    const { caller, surface, view, era, session } = sender;
    const exchange = new FrontExchange(id, era, reply, sender.running);
    const call = {
      caller,
      surface,
      view,
      name: plainString(name),
      params: message.params,
      meta,
      era,
      session,
    };
    return exchange.run(parts.calls.start(call, exchange));
  }
}

/** The front's end of one call. */
class FrontExchange implements Exchange {
  readonly #id: ByteText;
  readonly #era: Era;
  readonly #reply: Reply;
  readonly #running: Map<ByteText, Running>;
  #ended = false;

  constructor(id: ByteText, era: Era, reply: Reply, running: Map<ByteText, Running>) {
    this.#id = id;
    this.#era = era;
    this.#reply = reply;
    this.#running = running;
  }

  /** A call may have ended before it returned. */
  run(running: Running): Running | undefined {
    if (this.#ended) return undefined;
    this.#running.set(this.#id, running);
    return running;
  }

  notify(method: string, params: ByteText): void {
    this.#reply.notify(`{"jsonrpc":"2.0","method":"${method}","params":${params}}`);
  }

  settle(outcome: Outcome): void {
    this.#ended = true;
    this.#running.delete(this.#id);
    const { text, status } = outcomeText(this.#id, outcome, this.#era);
    this.#reply.answer(text, status);
  }
}

function onNotification(message: Message, sender: Sender, reply: Reply): void {
  if (message.method === 'notifications/cancelled') {
    const id = findMember(message.params, 'requestId');
    const reason = findMember(message.params, 'reason');
    const running = id === undefined ? undefined : sender.running.get(id);
    running?.cancel(reason?.startsWith('"') ? plainString(reason) : 'the client cancelled');
  }
  reply.accept();
}

function initializeResult(message: Message, sender: Sender): ByteText {
  const raw = findMember(message.params, 'protocolVersion');
  const wanted = raw === undefined ? undefined : parseBytes(raw);
  const protocolVersion = LEGACY_VERSIONS.find((version) => version === wanted) ?? LATEST_LEGACY_VERSION;
  const capabilities = { tools: { listChanged: sender.canNotify } };
  return jsonBytes({ protocolVersion, capabilities, serverInfo: SERVER_INFO });
}

const discoverResult = (sender: Sender): ByteText =>
  jsonBytes({
    resultType: 'complete',
    supportedVersions: SUPPORTED_VERSIONS,
    capabilities: { tools: { listChanged: sender.canNotify } },
    ttlMs: LIST_TTL_MS,
    cacheScope: 'private',
    _meta: { [META_KEY.serverInfo]: SERVER_INFO },
  });
