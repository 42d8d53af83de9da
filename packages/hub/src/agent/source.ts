/** OpenClaw's agent as a source: one tool, and what its answers leave to be read. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentConfig } from '../config/schema.ts';
import { AGENT_SOURCE, LOCAL_CALLER, mayUse } from '../core/caller.ts';
import { type Offer, readRawOffer } from '../core/catalog/offer.ts';
import { PincerError } from '../core/errors.ts';
import { isRecord } from '../lib/is-record.ts';
import type { Limits } from '../core/limits.ts';
import type { Clock } from '../core/ports.ts';
import type { Exchange, Running, Source, SourceRequest } from '../core/request.ts';
import { isOpenClawClient, orderToItself } from '../core/run-by-openclaw.ts';
import { parseBytes, jsonBytes } from '../core/wire/byte-text.ts';
import { NO_SUCH_METHOD } from '../core/wire/message.ts';
import { refused } from './outcome.ts';
import { askByElicitation, canBeAsked } from './ask/elicitation.ts';
import { answerByElicitation } from './ask/user-form.ts';
import type { Backend, OrderListener } from './backend.ts';
import { createShelf, SHELF_TEMPLATE, type Shelf } from './media/out/shelf.ts';
import { createOrders } from './orders.ts';
import type { Work } from './tasks/kept-order.ts';
import { createTaskRequests } from './tasks/task-requests.ts';
import { createTasks } from './tasks/tasks.ts';
import { answerNow } from './tasks/wait-for.ts';
import { TASKS_EXTENSION } from '../core/protocol.ts';
import { orderStatusTool, orderStopTool } from './tasks/status-tool.ts';
import { orderTool } from './tool-definition.ts';
import { notExecuted, type Outcome } from '../core/outcome.ts';
import { roomIn } from './media/base64.ts';
import { sizeText } from './media/size-text.ts';
import { LINE_ENVELOPE_BYTES } from './media/out/fit-text.ts';
import type { MediaLimits } from './media/in/read-media.ts';

export interface AgentSource extends Source {
  /** Takes over the settings of this moment; gives back what there is to be had by them. */
  configure(): Offer;
  /** Orders that go on, also those that nobody waits for just now. */
  readonly running: number;
  /** Whoever this was comes no more: their orders are stopped. */
  forgetCaller(caller: string): void;
  /** OpenClaw is told to stop what goes on, and given a moment to hear of it. */
  stop(): Promise<void>;
}

export interface AgentSourceParts {
  readonly backend: Backend;
  readonly limits: Limits;
  readonly clock: Clock;
  settings(): AgentConfig;
}

const GOODBYE_MS = 1_000;
const GOODBYE_CHECK_MS = 20;

export function createAgentSource({ backend, limits, clock, settings }: AgentSourceParts): AgentSource {
  const shelf = createShelf(limits, () => clock.now());
  const orders = createOrders({ backend, shelf, limits, clock, settings });
  const tasks = createTasks({ limits, now: () => clock.now(), newId: () => randomBytes(16).toString('hex') });
  const taskRequests = createTaskRequests({
    tasks,
    patienceMs: limits.orderPatienceMs,
    hasStatusTool: ({ scopes }) =>
      settings().orderStatus &&
      mayUse(scopes, { server: AGENT_SOURCE, name: 'order_status', readOnly: true }),
  });

  /** Whoever asks for it may have to come back for the answer, and may be asked something meanwhile. */
  const work =
    (request: SourceRequest): Work =>
    (signal, tell, ask) => {
      // Not the whole request: images in it would be kept as long as the agent works.
      const { client, era } = request;
      const asked: OrderListener['ask'] = (question) => askByElicitation({ ask }, { client, era }, question);
      const answer: OrderListener['answer'] = (questions) =>
        answerByElicitation({ ask }, { client, era }, questions);
      return orders.perform(request, {
        signal,
        onProgress: tell,
        ask: mayDecide(request) ? asked : undefined,
        answer: canBeAsked(request) ? answer : undefined,
      });
    };

  function read({ name: uri = '', caller, client }: SourceRequest, exchange: Exchange): Running {
    const reader = { uri, caller: caller.id, isLine: client.readsLines };
    return answerNow(exchange, readShelved(shelf, reader, limits));
  }

  return {
    name: AGENT_SOURCE,
    configure() {
      backend.reconsider?.();
      return offerFor(settings());
    },
    request(request, exchange) {
      const answered = taskRequests.answer(request, exchange);
      if (answered !== undefined) return answered;
      if (request.method === 'tools/call') {
        if (!isOpenClawItself(request)) return taskRequests.start(request, work(request), exchange);
        return answerNow(exchange, refused(orderToItself()));
      }
      if (request.method === 'resources/read') return read(request, exchange);
      return answerNow(exchange, { kind: 'tool_error', error: NO_SUCH_METHOD, extra: '' });
    },
    watch: () => Promise.reject(new PincerError('RESOURCE_UNKNOWN', 'Answers of OpenClaw do not change.')),
    tell: () => undefined,
    forget: () => undefined,
    get running() {
      return tasks.running;
    },
    forgetCaller: (caller) => tasks.forgetCaller(caller),
    async stop() {
      tasks.close();
      for (let waited = 0; tasks.running > 0 && waited < GOODBYE_MS; waited += GOODBYE_CHECK_MS)
        await sleep(GOODBYE_CHECK_MS);
      backend.close();
    },
  };
}

/** An approval is the word of a person: of one at this machine, or at a client whose token says that it speaks for one. */
const mayDecide = (request: SourceRequest): boolean =>
  canBeAsked(request) && (request.caller.id === LOCAL_CALLER || request.caller.scopes.approve === true);

function isOpenClawItself({ client }: SourceRequest): boolean {
  const info = client.info === undefined ? undefined : parseBytes(client.info);
  return isRecord(info) && typeof info['name'] === 'string' && isOpenClawClient(info['name']);
}

/** What there is to be had of OpenClaw's agent. */
const offerFor = ({ agents, orderStatus }: AgentConfig): Offer =>
  readRawOffer({
    about: jsonBytes({
      era: 'legacy',
      capabilities: { tools: {}, resources: {}, tasks: {}, extensions: { [TASKS_EXTENSION]: {} } },
      serverInfo: { name: 'openclaw', title: 'OpenClaw' },
    }),
    tools: [
      // 2025-11-25: a client may ask for a task instead of an answer.
      { ...orderTool({ agent: agents.length > 0 }), execution: { taskSupport: 'optional' } },
      ...(orderStatus ? [orderStatusTool(), orderStopTool()] : []),
    ].map((tool) => jsonBytes(tool)),
    prompts: [],
    resources: [],
    templates: [
      jsonBytes({
        name: 'openclaw-media',
        uriTemplate: SHELF_TEMPLATE,
        description: 'What OpenClaw answered with and was too large for the answer itself.',
      }),
    ],
  });

interface ShelfReader {
  readonly uri: string;
  readonly caller: string;
  /** It takes no longer line than `maxReplyLineBytes`. */
  readonly isLine: boolean;
}

/** `resources/read` of what an answer has linked. */
function readShelved(
  shelf: Shelf,
  { uri, caller, isLine }: ShelfReader,
  { maxReplyLineBytes }: Pick<MediaLimits, 'maxReplyLineBytes'>,
): Outcome {
  const partBytes = Math.max(1, roomIn(maxReplyLineBytes - LINE_ENVELOPE_BYTES));
  const found = shelf.find(caller, uri, partBytes);
  if (found === undefined) return notExecuted(notThere(uri));
  const { bytes, mimeType } = found;
  if (isLine && bytes.length > partBytes) return notExecuted(tooLong(uri, bytes.length, partBytes));
  const contents = [{ uri, mimeType, blob: bytes.toString('base64') }];
  return { kind: 'ok', result: jsonBytes({ contents }), era: 'legacy', extra: '' };
}

const notThere = (uri: string): PincerError =>
  new PincerError('RESOURCE_UNKNOWN', `Resource not found: ${uri}`, {
    hint: 'What OpenClaw answers with is kept for limits.shelfTtlMs, as long as there is room. Ask it again.',
    data: { uri },
  });

/** Whoever sent it all the same would end the connection: the official SDK's reader gives up there. */
function tooLong(uri: string, size: number, partBytes: number): PincerError {
  const parts = Math.ceil(size / partBytes);
  return new PincerError(
    'ARGUMENT_INVALID',
    `This is ${sizeText(size)}, and does not fit through a line to this client.`,
    {
      hint: `Read it in ${parts} parts, ${uri}?part=1 to ?part=${parts}, and join them; or over HTTP.`,
      data: { uri, parts },
    },
  );
}
