/** Runs one order: reads its arguments, names its conversation, hands it to a backend, and turns the end into an outcome. */
import { createHash, randomBytes } from 'node:crypto';
import type { AgentConfig } from '../config/schema.ts';
import { PincerError } from '../core/errors.ts';
import type { Limits } from '../core/limits.ts';
import type { Outcome } from '../core/outcome.ts';
import type { Clock } from '../core/ports.ts';
import type { SourceRequest } from '../core/request.ts';
import { jsonBytes } from '../core/wire/byte-text.ts';
import { findMember } from '../core/wire/members.ts';
import type { Backend, OrderEnd, OrderListener } from './backend.ts';
import { contentBlocks, fitText, type ContentBlock, type ReplyWay } from './media/content-blocks.ts';
import type { LinkedMedia } from './media/linked-media.ts';
import { sizeText } from './media/name-and-size.ts';
import type { Attachment } from './media/read-attachments.ts';
import { answered, lost, refused, sentences, toolFailure, toolText } from './outcome.ts';
import { readOrder } from './tools.ts';

interface OrdersParts {
  readonly backend: Pick<Backend, 'run'>;
  readonly media: LinkedMedia;
  readonly limits: Limits;
  readonly clock: Clock;
  settings(): AgentConfig;
}

export interface Orders {
  /** Never rejects. */
  perform(request: SourceRequest, listener: OrderListener): Promise<Outcome>;
}

export function createOrders({ backend, media, limits, clock, settings }: OrdersParts): Orders {
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
          // Some clients send an empty key instead of none.
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
      return outcomeOf(end, { limits, isLine: client.readsLines, links: media.of(caller.id) });
    } catch (error) {
      // The order has run, so never report `not_executed`.
      return lost(PincerError.from(error));
    }
  }

  return {
    perform: (request, listener) =>
      perform(request, listener).catch((error: unknown) => refused(PincerError.from(error))),
  };
}

const RANDOM_BYTES = 16;

/** The key of a conversation that the caller did not name. It cannot be guessed. */
export const freshKey = (nowMs: number): string =>
  `mcp-${nowMs}-${randomBytes(RANDOM_BYTES).toString('hex')}`;

interface Conversation {
  readonly caller: string;
  /** The caller's name of the conversation. */
  readonly key: string;
  /** Undefined for OpenClaw's default agent. */
  readonly agentId?: string | undefined;
}

const CALLER_CHARS = 16;
const KEY_CHARS = 40;

/**
 * The name of a conversation in OpenClaw. It is separate for each caller, and never that of a channel's conversation.
 * OpenClaw ignores case in these names, so both parts are hashed.
 */
export function sessionKeyFor({ caller, key, agentId }: Conversation): string {
  const own = `mcp:${hash(caller).slice(0, CALLER_CHARS)}:${hash(key).slice(0, KEY_CHARS)}`;
  return agentId === undefined ? own : `agent:${agentId}:${own}`;
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The end of an order as the outcome of a call. Errors are shown as tool results. */
function outcomeOf(end: OrderEnd, way: ReplyWay): Outcome {
  const beginning = ({ text }: { readonly text: string }): string =>
    fitText(text, { ...way, links: undefined }).text;
  switch (end.kind) {
    case 'answered': {
      const content = [...contentBlocks(end, way), ...end.remarks.map(remark)];
      if (content.length === 0) return toolText('[OpenClaw returned an empty answer.]');
      return answered(jsonBytes({ content, isError: false }), 'legacy');
    }
    case 'failed':
      return toolFailure(withText(sentences(end), beginning(end)));
    case 'stopped':
      if (end.neverRan === true)
        return refused(new PincerError('CALL_CANCELLED', 'The order was cancelled before it started.'));
      return toolFailure(withText('The order was stopped in OpenClaw before it finished.', beginning(end)));
    case 'lost':
      return lost(end.reason);
  }
}

const remark = (text: string): ContentBlock => ({ type: 'text', text: `[${text}]` });

/** Adds the text so far, which often explains the error. */
const withText = (error: string, text: string): string =>
  text === '' ? error : `${error}\n\nIts text before that:\n${text}`;

/** Limits the attachments of all running orders together, because they are in memory. */
interface MediaBudget {
  /** Reserves memory until the result is disposed of. Throws if there is not enough left. */
  take(attachments: readonly Attachment[]): Disposable;
}

function createMediaBudget(maxBytes: number): MediaBudget {
  let taken = 0;
  return {
    take(attachments) {
      const size = attachments.reduce((sum, each) => sum + each.size, 0);
      // A single order is limited when its arguments are read.
      if (taken > 0 && taken + size > maxBytes)
        throw new PincerError(
          'SERVER_BUSY',
          `Images and files of ${sizeText(taken)} are already being sent to OpenClaw. All orders together may send ${sizeText(maxBytes)} at a time.`,
          { hint: 'Send it again when another order has ended.' },
        );
      taken += size;
      return {
        [Symbol.dispose]() {
          taken -= size;
        },
      };
    },
  };
}
