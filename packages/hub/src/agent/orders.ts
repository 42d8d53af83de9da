/** What becomes of an order: read, named, handed to a backend, and answered. */
import type { AgentConfig } from '../config/schema.ts';
import { PincerError } from '../core/errors.ts';
import type { Limits } from '../core/limits.ts';
import type { Outcome } from '../core/outcome.ts';
import type { Clock } from '../core/ports.ts';
import type { SourceRequest } from '../core/request.ts';
import { findMember } from '../core/wire/members.ts';
import { lost, refused, answered, sentences, toolFailure, toolText } from './outcome.ts';
import type { Backend, OrderListener, OrderEnd } from './backend.ts';
import { createMediaBudget } from './media/budget.ts';
import type { Shelf } from './media/out/shelf.ts';
import { readOrder } from './read-order.ts';
import { randomBytes, createHash } from 'node:crypto';
import { jsonBytes } from '../core/wire/byte-text.ts';
import { contentBlocks, type ContentBlock, type ReplyWay } from './media/out/content-blocks.ts';
import { fitText } from './media/out/fit-text.ts';

export interface OrdersParts {
  readonly backend: Pick<Backend, 'run'>;
  readonly shelf: Shelf;
  readonly limits: Limits;
  readonly clock: Clock;
  settings(): AgentConfig;
}

export interface Orders {
  /** Never rejects. */
  perform(request: SourceRequest, listener: OrderListener): Promise<Outcome>;
}

export function createOrders({ backend, shelf, limits, clock, settings }: OrdersParts): Orders {
  const budget = createMediaBudget(limits.maxMediaBytesAtOnce);

  async function perform(request: SourceRequest, listener: OrderListener): Promise<Outcome> {
    const { caller, client, params } = request;
    const { agents, commands } = settings();
    const { message, sessionKey, agent, attachments } = readOrder(
      findMember(params, 'arguments'),
      agents,
      limits,
    );
    using _room = budget.take(attachments);
    const end = await backend.run(
      {
        message,
        sessionKey: sessionKeyFor({
          caller: caller.id,
          // An empty one is what clients send that mean none.
          key: sessionKey || freshKey(clock.now()),
          agentId: agent,
        }),
        agentId: agent,
        attachments,
        commands,
      },
      listener,
    );
    try {
      return outcomeOf(end, { limits, isLine: client.readsLines, shelf: shelf.of(caller.id) });
    } catch (error) {
      // It has run: nobody may take it for something that can be ordered again.
      return lost(PincerError.from(error));
    }
  }

  return {
    perform: (request, listener) =>
      perform(request, listener).catch((error: unknown) => refused(PincerError.from(error))),
  };
}

const RANDOM_BYTES = 16;

/** The name of a conversation that nobody has named: nobody guesses it, and nobody goes on with it. */
export const freshKey = (nowMs: number): string =>
  `mcp-${nowMs}-${randomBytes(RANDOM_BYTES).toString('hex')}`;

interface Conversation {
  /** Who asks. */
  readonly caller: string;
  /** What they call it. */
  readonly key: string;
  /** Undefined: OpenClaw's default agent. */
  readonly agentId?: string | undefined;
}

const CALLER_CHARS = 16;
const KEY_CHARS = 40;

/**
 * The name of a conversation in OpenClaw. Whatever a caller calls it, it stays among that caller's own, and no
 * channel's conversation has such a name. OpenClaw does not tell capitals from small letters, so that both parts
 * are hashed.
 */
export function sessionKeyFor({ caller, key, agentId }: Conversation): string {
  const own = `mcp:${hash(caller).slice(0, CALLER_CHARS)}:${hash(key).slice(0, KEY_CHARS)}`;
  return agentId === undefined ? own : `agent:${agentId}:${own}`;
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

/** How an order ended, as an outcome of a call: whatever happens, its caller is shown a result. */
function outcomeOf(end: OrderEnd, way: ReplyWay): Outcome {
  const begun = ({ text }: { readonly text: string }): string =>
    fitText(text, { ...way, shelf: undefined }).text;
  switch (end.kind) {
    case 'answered': {
      const content = [...contentBlocks(end, way), ...end.remarks.map(remark)];
      if (content.length === 0) return toolText('[OpenClaw had nothing to say to this.]');
      return answered(jsonBytes({ content, isError: false }), 'legacy');
    }
    case 'failed':
      return toolFailure(withSaid(sentences(end), begun(end)));
    case 'stopped':
      if (end.neverRan === true)
        return refused(new PincerError('CALL_CANCELLED', 'The order was taken back before it began.'));
      return toolFailure(withSaid('The order was stopped in OpenClaw before it was done.', begun(end)));
    case 'lost':
      return lost(end.reason);
  }
}

const remark = (said: string): ContentBlock => ({ type: 'text', text: `[${said}]` });

/** With what was said before it failed: that is often why. */
const withSaid = (error: string, said: string): string =>
  said === '' ? error : `${error}\n\nBefore that it had said:\n${said}`;
