/** OpenClaw's agent as a source: the tool `order_openclaw`, and resources for media that are too large for an answer. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentConfig } from '../config/schema.ts';
import { AGENT_SOURCE, LOCAL_CALLER, mayUse } from '../core/caller.ts';
import { readRawOffer, type Offer } from '../core/catalog/offer.ts';
import { PincerError } from '../core/errors.ts';
import type { Limits } from '../core/limits.ts';
import type { Clock } from '../core/ports.ts';
import { TASKS_EXTENSION } from '../core/protocol.ts';
import type { Exchange, Running, Source, SourceRequest } from '../core/request.ts';
import { isOpenClawClient, orderToItself } from '../core/run-by-openclaw.ts';
import { jsonBytes, parseBytes } from '../core/wire/byte-text.ts';
import { NO_SUCH_METHOD } from '../core/wire/message.ts';
import { isRecord } from '../lib/record.ts';
import type { Backend, OrderListener } from './backend.ts';
import { answerByElicitation, askByElicitation, canBeAsked } from './elicitation.ts';
import { createLinkedMedia, LINK_TEMPLATE } from './media/linked-media.ts';
import { createOrders } from './orders.ts';
import { refused } from './outcome.ts';
import { createTasks, type Work } from './tasks/kept-orders.ts';
import { createTaskRequests } from './tasks/task-requests.ts';
import { answerNow } from './tasks/wait-for.ts';
import { orderStatusTool, orderStopTool, orderTool } from './tools.ts';

export interface AgentSource extends Source {
  /** Applies the current settings and returns the resulting offer. */
  configure(): Offer;
  /** How many orders run, with or without a waiting client. */
  readonly running: number;
  /** Stops and forgets the orders of a caller whose token was revoked. */
  forgetCaller(caller: string): void;
  /** Stops all orders, and gives OpenClaw a moment to receive that. */
  stop(): Promise<void>;
}

interface AgentSourceParts {
  readonly backend: Backend;
  readonly limits: Limits;
  readonly clock: Clock;
  settings(): AgentConfig;
}

const STOP_MS = 1_000;
const STOP_CHECK_MS = 20;

export function createAgentSource({ backend, limits, clock, settings }: AgentSourceParts): AgentSource {
  const media = createLinkedMedia(limits, () => clock.now());
  const orders = createOrders({ backend, media, limits, clock, settings });
  const tasks = createTasks({ limits, now: () => clock.now(), newId: () => randomBytes(16).toString('hex') });
  const taskRequests = createTaskRequests({
    tasks,
    maxWaitMs: limits.orderPatienceMs,
    hasStatusTool: ({ scopes }) =>
      settings().orderStatus &&
      mayUse(scopes, { server: AGENT_SOURCE, name: 'order_status', readOnly: true }),
  });

  /** The work of an order. The client that waits for it may change meanwhile, so `ask` is passed in. */
  const work =
    (request: SourceRequest): Work =>
    (signal, tell, ask) => {
      // Do not capture the whole request: its images would stay in memory while the agent works.
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
    return answerNow(exchange, media.read({ uri, caller: caller.id, isLine: client.readsLines }));
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
    watch: () =>
      Promise.reject(
        new PincerError('RESOURCE_UNKNOWN', 'Media of OpenClaw never change and cannot be watched.'),
      ),
    tell: () => undefined,
    forget: () => undefined,
    get running() {
      return tasks.running;
    },
    forgetCaller: (caller) => tasks.forgetCaller(caller),
    async stop() {
      tasks.close();
      for (let waited = 0; tasks.running > 0 && waited < STOP_MS; waited += STOP_CHECK_MS)
        await sleep(STOP_CHECK_MS);
      backend.close();
    },
  };
}

/** Only a person may approve: one at this machine, or at a client whose token has the scope `approve`. */
const mayDecide = (request: SourceRequest): boolean =>
  canBeAsked(request) && (request.caller.id === LOCAL_CALLER || request.caller.scopes.approve === true);

function isOpenClawItself({ client }: SourceRequest): boolean {
  const info = client.info === undefined ? undefined : parseBytes(client.info);
  return isRecord(info) && typeof info['name'] === 'string' && isOpenClawClient(info['name']);
}

const offerFor = ({ agents, orderStatus }: AgentConfig): Offer =>
  readRawOffer({
    about: jsonBytes({
      era: 'legacy',
      capabilities: { tools: {}, resources: {}, tasks: {}, extensions: { [TASKS_EXTENSION]: {} } },
      serverInfo: { name: 'openclaw', title: 'OpenClaw' },
    }),
    tools: [
      // 2025-11-25: a client may ask for a task instead of a result.
      { ...orderTool({ agent: agents.length > 0 }), execution: { taskSupport: 'optional' } },
      ...(orderStatus ? [orderStatusTool(), orderStopTool()] : []),
    ].map((tool) => jsonBytes(tool)),
    prompts: [],
    resources: [],
    templates: [
      jsonBytes({
        name: 'openclaw-media',
        uriTemplate: LINK_TEMPLATE,
        description: 'Files and images of an OpenClaw answer that were too large for the answer itself.',
      }),
    ],
  });
