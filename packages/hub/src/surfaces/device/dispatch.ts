/** What `/` answers otherwise than `/mcp`: whatever is wrong with a call of a tool is its result (seed 000, "MCP bridge"). */
import { DEVICE_SOURCE, mayUse } from '../../core/caller.ts';
import type { CatalogReader } from '../../core/catalog/catalog.ts';
import type { Addressed } from '../../core/call/route.ts';
import type { PincerError } from '../../core/errors.ts';
import type { Era } from '../../core/protocol.ts';
import { jsonBytes, parseBytes, type ByteText } from '../../core/wire/byte-text.ts';
import { editMembers, findMember, isObject, type Member } from '../../core/wire/members.ts';
import type { Message } from '../../core/wire/message.ts';
import type { Running } from '../../core/request.ts';
import type { Dispatch, Sender } from '../mcp/dispatch.ts';
import { resultText, type Reply } from '../mcp/reply.ts';
import { isModelClient } from './model-clients.ts';
import { createSessionlessCalls } from './sessionless-calls.ts';

export interface DeviceDispatchParts {
  readonly dispatch: Dispatch;
  readonly catalog: Pick<CatalogReader, 'resolve'>;
  /** Why a command is not there that this machine has. */
  withdrawn(call: Addressed): PincerError | undefined;
}

export function createDeviceDispatch({ dispatch, catalog, withdrawn }: DeviceDispatchParts): Dispatch {
  const sessionless = createSessionlessCalls();
  return (message, sender, reply) => {
    const { id, method } = message;
    if (method === 'notifications/cancelled' && sender.legacy === undefined) cancel(message, sender);
    if (method !== 'tools/call' || id === undefined) return dispatch(message, sender, reply);
    // Programs read the documented payload out of the text; a model gets pictures as pictures.
    const mediaBytes = isModelClient(sender.client.info) ? undefined : 'in-text';
    // `null` is as good as nothing.
    const params =
      findMember(message.params, 'arguments') === 'null'
        ? editMembers(message.params, { arguments: undefined })
        : message.params;
    const { caller, view } = sender;
    const fault = faultIn(params) ?? unknownIn({ caller, view, method, params });
    if (fault === undefined) return perform({ ...message, params }, { ...sender, mediaBytes }, reply);
    reply.answer(faultText(id, fault, sender.era), 200);
    return undefined;
  };

  function perform(message: Message, sender: Sender, reply: Reply): Running | undefined {
    const id = message.id!;
    let isAnswered = false;
    let listed: { forget(): void } | undefined;
    const onAnswered = (): void => {
      isAnswered = true;
      listed?.forget();
    };
    const running = dispatch(message, sender, inResults({ reply, id, era: sender.era, onAnswered }));
    if (sender.legacy === undefined && running !== undefined && !isAnswered)
      listed = sessionless.add(sender.caller, id, running);
    return running;
  }

  function cancel({ params }: Message, { caller }: Sender): void {
    const id = findMember(params, 'requestId');
    if (id !== undefined) sessionless.cancel(caller, id, 'the client cancelled');
  }

  /** The same for what does not exist and for what the caller may not see. */
  function unknownIn(call: Addressed): string | undefined {
    const name = nameIn(call.params);
    const tool = catalog.resolve(DEVICE_SOURCE, name);
    if (tool !== undefined && mayUse(call.caller.scopes, tool)) return undefined;
    return withdrawn(call)?.message ?? `Unknown tool: ${name}`;
  }
}

interface Answering {
  readonly reply: Reply;
  readonly id: ByteText;
  readonly era: Era;
  onAnswered(): void;
}

/** Of a call that did not run, or got lost, the reason is its result. What is wrong with the protocol stays an error. */
const inResults = ({ reply, id, era, onAnswered }: Answering): Reply => ({
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
    // Few words; and a text with a picture in it is not put together in memory only to be looked at.
    const isShort = text.length <= MAX_ERROR + id.length;
    const isError = isShort && text.startsWith(`{"jsonrpc":"2.0","id":${id},"error":`);
    const error = isError ? errorIn(text) : undefined;
    if (error?.data?.outcome === undefined) reply.answer(text, status, pieces);
    else reply.answer(faultText(id, error.message, era), 200);
  },
});

const MAX_ERROR = 256 * 1024;

interface OutcomeError {
  readonly message: string;
  readonly data?: { readonly outcome?: unknown };
}

const errorIn = (text: ByteText): OutcomeError => (parseBytes(text) as { error: OutcomeError }).error;

/** The same for a call whose `params` are no object, which is no message that could be dispatched. */
export function answerBadParams(message: ByteText, id: ByteText): ByteText | undefined {
  const { method } = parseBytes(message) as { method?: unknown };
  return method === 'tools/call' ? faultText(id, 'Invalid params: expected object', 'legacy') : undefined;
}

const faultText = (id: ByteText, text: string, era: Era): ByteText =>
  resultText(
    id,
    jsonBytes({
      content: [{ type: 'text', text }],
      isError: true,
      ...(era === 'modern' && { resultType: 'complete' }),
    }),
  );

function faultIn(params: readonly Member[]): string | undefined {
  const name = findMember(params, 'name');
  if (!name?.startsWith('"')) return "Missing 'name'";
  if (nameIn(params).trim() === '') return 'Empty tool name';
  const args = findMember(params, 'arguments');
  return args === undefined || isObject(args) ? undefined : "'arguments' must be a JSON object if present";
}

const nameIn = (params: readonly Member[]): string => parseBytes(findMember(params, 'name')!) as string;
