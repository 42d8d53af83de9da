/** What a message asks for, in either era, on any wire. */
import type { Caller } from '../../core/caller.ts';
import type { Calls } from '../../core/calls.ts';
import type { View } from '../../core/catalog.ts';
import { PincerError } from '../../core/errors.ts';
import { RPC, type Era } from '../../core/protocol.ts';
import type { Running } from '../../core/request.ts';
import type { ByteText } from '../../core/wire/byte-text.ts';
import { findMember, isObject } from '../../core/wire/members.ts';
import { plainString, type Message } from '../../core/wire/message.ts';
import { FrontExchange } from './front-exchange.ts';
import { DISCOVER_RESULT, initializeResult } from './handshake.ts';
import { errorText, resultText, type Reply, type RpcFailure } from './reply.ts';

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

/** Gives back a call that goes on, so that the wire can cancel it. */
export type Dispatch = (message: Message, sender: Sender, reply: Reply) => Running | undefined;

interface Asked {
  readonly message: Message;
  readonly id: ByteText;
  readonly sender: Sender;
  readonly reply: Reply;
}

type Method = (asked: Asked) => Running | undefined;

const NO_SUCH_METHOD: RpcFailure = { code: RPC.methodNotFound, message: 'Method not found', status: 404 };

export function createDispatch(parts: DispatchParts): Dispatch {
  const methods: Record<Era, ReadonlyMap<string | undefined, Method>> = {
    legacy: new Map<string, Method>([
      ['initialize', (asked) => answer(asked, initializeResult(asked.message, asked.sender.canNotify))],
      ['ping', (asked) => answer(asked, '{}')],
      ['tools/list', listTools],
      ['tools/call', callTool],
    ]),
    modern: new Map<string, Method>([
      ['server/discover', (asked) => answer(asked, DISCOVER_RESULT)],
      ['tools/list', listTools],
      ['tools/call', callTool],
    ]),
  };

  function listTools(asked: Asked): undefined {
    const { caller, view, era } = asked.sender;
    // Lists come in one piece: Pincer hands out no cursor.
    if (findMember(asked.message.params, 'cursor') !== undefined)
      return refuse(asked, invalid('Unknown cursor.'));
    const list = (): undefined => answer(asked, parts.toolList(caller, view, era));
    const known = parts.whenKnown(view);
    if (known === undefined) return list();
    known.then(list).catch((error: unknown) => refuse(asked, internal(error)));
  }

  function callTool(asked: Asked): Running | undefined {
    const { message, id, sender, reply } = asked;
    const name = findMember(message.params, 'name');
    if (name === undefined || !name.startsWith('"'))
      return refuse(asked, invalid('"params.name" is a string.'));
    const args = findMember(message.params, 'arguments');
    if (args !== undefined && !isObject(args))
      return refuse(asked, invalid('"params.arguments" is an object.'));
    if (sender.running.has(id))
      return refuse(asked, { ...invalid('This id is in use.'), code: RPC.invalidRequest });
    const { caller, surface, view, era, session, running } = sender;
    const exchange = new FrontExchange(id, era, reply, running);
    const call = {
      caller,
      surface,
      view,
      name: plainString(name),
      params: message.params,
      meta: message.meta,
      era,
      session,
    };
    return exchange.track(parts.calls.start(call, exchange));
  }

  return (message, sender, reply) => {
    const { id, method } = message;
    if (id !== undefined && method !== undefined) {
      const asked = { message, id, sender, reply };
      const perform = methods[sender.era].get(method);
      return perform === undefined ? refuse(asked, NO_SUCH_METHOD) : perform(asked);
    }
    // A notification; or an answer to a request that was never made.
    if (method === 'notifications/cancelled') cancel(message, sender);
    reply.accept();
  };
}

function answer({ id, reply }: Asked, result: ByteText): undefined {
  reply.answer(resultText(id, result), 200);
}

function refuse({ id, sender, reply }: Asked, failure: RpcFailure): undefined {
  // The legacy era answers 200 to whatever it could read.
  reply.answer(errorText(id, failure), sender.era === 'modern' ? failure.status : 200);
}

const internal = (error: unknown): RpcFailure => ({
  code: RPC.internalError,
  message: PincerError.from(error).message,
  status: 500,
});

const invalid = (message: string): RpcFailure => ({ code: RPC.invalidParams, message, status: 400 });

function cancel({ params }: Message, { running }: Sender): void {
  const id = findMember(params, 'requestId');
  const reason = findMember(params, 'reason');
  if (id !== undefined)
    running.get(id)?.cancel(reason?.startsWith('"') ? plainString(reason) : 'the client cancelled');
}
