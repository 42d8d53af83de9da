/** OpenClaw's agent as a source: one tool, and what its answers leave to be read. */
import type { AgentConfig } from '../../config/schema.ts';
import { AGENT_SOURCE } from '../../core/caller.ts';
import { readRawOffer, type Offer } from '../../core/catalog/offer.ts';
import { PincerError } from '../../core/errors.ts';
import type { Limits } from '../../core/limits.ts';
import { notExecuted, type Outcome } from '../../core/outcome.ts';
import type { Clock } from '../../core/ports.ts';
import { RPC } from '../../core/protocol.ts';
import type { Exchange, Running, Source, SourceRequest } from '../../core/request.ts';
import { jsonBytes } from '../../core/wire/byte-text.ts';
import type { Backend, OrderListener } from './backend.ts';
import { createShelf, SHELF_TEMPLATE } from './media/out/shelf.ts';
import { createOrders } from './orders.ts';
import { cancelledOutcome } from './outcome.ts';
import { tellProgress } from './progress.ts';
import { orderTool } from './tool-definition.ts';

export interface AgentSource extends Source {
  /** By the settings of this moment. */
  offer(): Offer;
  stop(): void;
}

export interface AgentSourceParts {
  readonly backend: Backend;
  readonly limits: Limits;
  readonly clock: Clock;
  settings(): AgentConfig;
}

const NOTHING_RUNS: Running = { cancel: () => undefined };

export function createAgentSource({ backend, limits, clock, settings }: AgentSourceParts): AgentSource {
  const shelf = createShelf(limits, () => clock.now());
  const orders = createOrders({ backend, shelf, limits, clock, settings });

  function order(request: SourceRequest, exchange: Exchange): Running {
    const stopping = new AbortController();
    const progress = tellProgress(request, exchange);
    const listener: OrderListener = {
      signal: stopping.signal,
      onProgress: (read) => progress.tell(read),
      ask: async () => undefined,
    };
    let cancelled: string | undefined;
    void orders.perform(request, listener).then((outcome) => {
      progress.stop();
      exchange.settle(cancelled === undefined ? outcome : withdrawn(outcome, cancelled));
    });
    return {
      cancel(reason) {
        cancelled ??= reason;
        stopping.abort();
      },
    };
  }

  function read({ name: uri = '', caller }: SourceRequest, exchange: Exchange): Running {
    const found = shelf.find(caller.id, uri);
    exchange.settle(
      found === undefined
        ? notExecuted(noLongerThere(uri))
        : {
            kind: 'ok',
            era: 'legacy',
            extra: '',
            result: jsonBytes({
              contents: [{ uri, mimeType: found.mimeType, blob: found.bytes.toString('base64') }],
            }),
          },
    );
    return NOTHING_RUNS;
  }

  return {
    name: AGENT_SOURCE,
    offer: () => offerFor(settings()),
    request(request, exchange) {
      if (request.method === 'tools/call') return order(request, exchange);
      if (request.method === 'resources/read') return read(request, exchange);
      exchange.settle({ kind: 'tool_error', error: NO_SUCH_METHOD, extra: '' });
      return NOTHING_RUNS;
    },
    watch: () => Promise.reject(new PincerError('RESOURCE_UNKNOWN', 'Answers of OpenClaw do not change.')),
    tell: () => undefined,
    forget: () => undefined,
    stop: () => backend.close(),
  };
}

const NO_SUCH_METHOD = jsonBytes({ code: RPC.methodNotFound, message: 'Method not found' });

function offerFor({ agents }: AgentConfig): Offer {
  return readRawOffer({
    about: jsonBytes({
      era: 'legacy',
      capabilities: { tools: {}, resources: {} },
      serverInfo: { name: 'openclaw', title: 'OpenClaw' },
    }),
    tools: [jsonBytes(orderTool({ agent: agents.length > 0 }))],
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
}

/** What became of an order that its caller no longer wants: an answer that came all the same is one. */
function withdrawn(outcome: Outcome, reason: string): Outcome {
  if (outcome.kind === 'ok') return outcome;
  return cancelledOutcome(reason, outcome.kind !== 'not_executed');
}

const noLongerThere = (uri: string): PincerError =>
  new PincerError('RESOURCE_UNKNOWN', `Resource not found: ${uri}`, {
    hint: 'What OpenClaw answers with is kept for an hour. Ask it again.',
    data: { uri },
  });
