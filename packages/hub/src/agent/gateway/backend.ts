/** Orders that OpenClaw's gateway runs. */
import { PincerError } from '../../../core/errors.ts';
import type { Limits } from '../../../core/limits.ts';
import { isLoopbackHost } from '../../../core/loopback.ts';
import { createTurn, type Turn } from '../answer/aggregate.ts';
import type { Backend, Order, OrderEnd, OrderListener, OrderProgress } from '../backend.ts';
import type { Attachment } from '../media/in/read-media.ts';
import type { Transcriber } from '../media/in/transcribe/transcriber.ts';
import type { MediaLimits } from '../media/limits.ts';
import { orAborted } from '../../../core/or-aborted.ts';
import { followApprovals } from './asked/approvals.ts';
import { explainFailure, SWALLOWED } from './failure.ts';
import type { Gateways, Lines } from './connection/gateways.ts';
import type { Hello } from '../../../openclaw/handshake.ts';
import { readTexts } from './turn/history.ts';
import { followQuestions } from './asked/questions.ts';
import { prepareOrder } from './prepare-order.ts';
import { fetchReplyMedia } from './reply/reply-media.ts';
import { AFTER_END_MS, inTime } from './turn/in-time.ts';
import { runTurn } from './turn/turn.ts';
import type { RunName, TurnEnd } from './turn/turn-end.ts';

export interface GatewayBackendParts {
  readonly gateways: Gateways;
  readonly limits: MediaLimits & Pick<Limits, 'maxImagePixels' | 'maxScaleMs'>;
  /** By the settings of this moment; undefined: speech is passed on as it is. */
  transcriber(): Transcriber | undefined;
}

export function createGatewayBackend(parts: GatewayBackendParts): Backend {
  const { gateways, limits } = parts;

  async function run(order: Order, listener: OrderListener): Promise<OrderEnd> {
    const lines = gateways.current();
    const { orders: gateway } = lines;
    using _held = gateway.hold();
    const { signal } = listener;
    const { hello } = await orAborted(gateway.connect(), signal);
    const { attachments, remarks } = await prepareOrder(
      order,
      { policy: hello.policy, limits, transcriber: parts.transcriber() },
      signal,
    );
    const turn = createTurn();
    const end = await follow(
      lines,
      { ...order, attachments, agentId: agentFor(order, hello) },
      turn,
      listener,
    );
    const { text, media: named } = turn.answer();
    switch (end.kind) {
      case 'final': {
        const media = end.hasMedia
          ? await fetchReplyMedia(gateway, end, { named, limits, signal: soon(signal) })
          : [];
        return { kind: 'answered', text, media, remarks };
      }
      case 'error':
        return { kind: 'failed', ...explainFailure(end.message), text };
      case 'aborted':
        return { kind: 'stopped', text: text || end.text, neverRan: !end.mayHaveRun };
      case 'swallowed':
        return { kind: 'failed', ...SWALLOWED, text: '' };
      case 'lost':
        return end;
    }
  }

  type End = (TurnEnd & { mayHaveRun: boolean }) | Extract<OrderEnd, { kind: 'lost' }>;

  // oxlint-disable-next-line max-params -- one order
  async function follow(
    { orders: gateway, reviewer }: Lines,
    order: Order,
    turn: Turn,
    { signal, ask, answer, onProgress }: OrderListener,
  ): Promise<End> {
    const { message, sessionKey, agentId, commands, attachments } = order;
    let run: RunName | undefined;
    const named = {
      get runId() {
        return run?.runId ?? '';
      },
      sessionKey: () => run?.sessionKey ?? sessionKey,
    };
    const approvals = followApprovals({ orders: gateway, reviewer }, named, ask);
    const questions = followQuestions(gateway, named, answer);
    try {
      // On this machine it is connected long before the agent asks its model anything, let alone a person.
      if (!isLoopbackHost(new URL(gateway.httpUrl()).hostname)) await approvals.ready;
      const end = await runTurn(gateway, {
        message,
        sessionKey,
        agentId,
        commands,
        attachments: attachments.map(asSent),
        signal,
        onRun: (named) => (run = named),
        onEvent(event) {
          turn.note(event);
          if (event.kind !== 'ended') onProgress(() => progressOf(turn));
        },
      });
      if (end.kind === 'final') {
        turn.note({ kind: 'ended', how: 'done', text: end.text || undefined, media: [], reason: undefined });
        if (turn.answer().hasAsides)
          for (const text of await inTime(readTexts(gateway, end), [])) turn.note({ kind: 'written', text });
      }
      return { ...end, mayHaveRun: run !== undefined };
    } catch (error) {
      const reason = PincerError.from(error);
      if (run !== undefined) return { kind: 'lost', reason };
      throw reason;
    } finally {
      approvals.off();
      questions.off();
    }
  }

  return {
    run,
    reconsider: () => gateways.reconsider(),
    close: () => gateways.close(),
  };
}

/** A gateway with several agents wants to be told which; OpenClaw's own commands mean the default one, too. */
const agentFor = ({ agentId }: Order, { snapshot }: Hello): string | undefined =>
  agentId ?? snapshot?.sessionDefaults?.defaultAgentId;

function progressOf(turn: Turn): OrderProgress {
  const { text, tools } = turn.answer();
  return { text, tool: tools.findLast(({ result }) => result === undefined)?.name };
}

const asSent = ({ kind, mimeType, name, data }: Attachment) => ({
  type: kind,
  mimeType,
  fileName: name,
  content: data,
});

const soon = (signal: AbortSignal): AbortSignal =>
  AbortSignal.any([signal, AbortSignal.timeout(AFTER_END_MS)]);
