/** Orders that OpenClaw's gateway runs. */
import { PincerError } from '../../../core/errors.ts';
import { createTurn } from '../answer/aggregate.ts';
import { readEvent } from '../answer/read-event.ts';
import type { Backend, Order, OrderEnd, OrderListener, OrderProgress } from '../backend.ts';
import type { Attachment } from '../media/in/read-media.ts';
import type { MediaLimits } from '../media/limits.ts';
import type { Gateway } from './gateway.ts';
import { fetchReplyMedia } from './reply-media.ts';
import { runTurn } from './turn.ts';
import type { TurnEnd } from './turn-end.ts';

export interface GatewayBackendParts {
  readonly gateway: Gateway;
  readonly limits: MediaLimits;
}

export function createGatewayBackend({ gateway, limits }: GatewayBackendParts): Backend {
  async function run(order: Order, listener: OrderListener): Promise<OrderEnd> {
    const { message, sessionKey, agentId, commands, attachments } = order;
    using _held = gateway.hold();
    const turn = createTurn();
    const progress = (): OrderProgress => {
      const { text, tools } = turn.answer();
      return { text, tool: tools.findLast(({ result }) => result === undefined)?.name };
    };
    let mayRun = false;
    let end: TurnEnd;
    try {
      end = await runTurn(gateway, {
        message,
        sessionKey,
        agentId,
        commands,
        attachments: attachments.map(asSent),
        signal: listener.signal,
        onSent: () => (mayRun = true),
        onEvent({ event, payload }) {
          const heard = readEvent(event, payload, payload.runId);
          if (heard === undefined) return;
          turn.note(heard);
          if (heard.kind !== 'ended') listener.onProgress(progress);
        },
      });
    } catch (error) {
      const reason = PincerError.from(error);
      if (mayRun && !isRefusal(reason)) return { kind: 'lost', reason };
      throw reason;
    }
    switch (end.kind) {
      case 'final': {
        turn.note({ kind: 'ended', how: 'done', text: end.text || undefined, media: [], reason: undefined });
        const media = end.hasMedia ? await fetchReplyMedia(gateway, end, limits, listener.signal) : [];
        return { kind: 'answered', text: turn.answer().text, media, remarks: [] };
      }
      case 'error':
        return { kind: 'failed', ...explain(end.message), text: turn.answer().text };
      case 'aborted':
        return { kind: 'stopped', text: turn.answer().text || end.text, neverRan: !mayRun };
      case 'swallowed':
        return { kind: 'failed', ...SWALLOWED, text: '' };
    }
  }

  return { run, close: () => gateway.close() };
}

const asSent = ({ kind, mimeType, name, data }: Attachment) => ({
  type: kind,
  mimeType,
  fileName: name,
  content: data,
});

/** The gateway has said no, so that nothing runs. */
const isRefusal = ({ code, data }: PincerError): boolean =>
  data?.['gatewayCode'] !== undefined || code === 'ARGUMENT_INVALID';

const SWALLOWED = {
  message: 'Somebody else is talking in this conversation, and OpenClaw has put the message into their turn.',
  hint: 'Ask for the outcome with the same sessionKey in a moment, or use another sessionKey.',
};

/** OpenClaw says what happened; what to do about it is seldom in it. */
function explain(message: string): { message: string; hint: string } {
  if (/auth|api key|credential|\b40[13]\b/i.test(message))
    return { message, hint: "Check the model's credentials with `openclaw status` and `openclaw doctor`." };
  if (/couldn't generate a response/i.test(message))
    return {
      message,
      hint: 'The model answered nothing. Ask again, or look with `openclaw logs` what happened.',
    };
  return { message, hint: 'Look with `openclaw logs` what happened, or ask again.' };
}
