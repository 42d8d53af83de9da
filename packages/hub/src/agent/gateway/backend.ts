/** The backend that runs orders at a gateway of OpenClaw: prepares attachments, runs a turn, follows its questions and fetches its files. */
import { PincerError } from '../../core/errors.ts';
import type { Limits } from '../../core/limits.ts';
import { asSentence } from '../../lib/text.ts';
import { orAborted, within } from '../../lib/time.ts';
import { isLoopbackHost } from '../../lib/loopback.ts';
import type { Hello } from '../../openclaw/handshake.ts';
import { createTurn, type Turn } from '../answer/aggregate.ts';
import type { Backend, Order, OrderEnd, OrderListener, OrderProgress } from '../backend.ts';
import { fitAttachments } from '../media/fit-attachments.ts';
import type { Attachment, MediaLimits } from '../media/read-attachments.ts';
import { withTranscripts, type Transcriber } from '../media/transcribe.ts';
import { followApprovals } from './approvals.ts';
import { readTexts, type RunName, type TurnEnd } from './follow-run.ts';
import type { Connections, Gateways } from './gateway.ts';
import { followQuestions } from './questions.ts';
import { fetchReplyMedia } from './reply-media.ts';
import { AFTER_END_MS, runTurn } from './turn.ts';

interface GatewayBackendParts {
  readonly gateways: Gateways;
  readonly limits: MediaLimits & Pick<Limits, 'maxImagePixels' | 'maxScaleMs'>;
  /** From the current settings; undefined if speech is passed on as it is. */
  transcriber(): Transcriber | undefined;
}

export function createGatewayBackend(parts: GatewayBackendParts): Backend {
  const { gateways, limits } = parts;

  async function run(order: Order, listener: OrderListener): Promise<OrderEnd> {
    const connections = gateways.current();
    const { orders: gateway } = connections;
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
      connections,
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
      case 'queued':
        return { kind: 'failed', ...QUEUED, text: '' };
      case 'lost':
        return end;
    }
  }

  type End = (TurnEnd & { mayHaveRun: boolean }) | Extract<OrderEnd, { kind: 'lost' }>;

  // oxlint-disable-next-line max-params -- the parts of one order
  async function follow(
    { orders: gateway, reviewer }: Connections,
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
      // On this machine the reviewer connects long before the agent calls its model, so nothing has to wait for it.
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
        if (turn.answer().hasAsides) {
          const texts = await within(readTexts(gateway, end), AFTER_END_MS).catch(() => undefined);
          for (const text of texts ?? []) turn.note({ kind: 'written', text });
        }
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

/** A gateway with several agents requires an agent id, also for OpenClaw's own commands. */
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

interface Failure {
  readonly message: string;
  readonly hint: string;
}

/** How OpenClaw 2026.9.6 fails a turn that begins while it applies a change of its configuration. */
const WHILE_RELOADING =
  /\bprepared (?:model runtime|reply dispatch|inbound plugin)\b.*\b(?:superseded|not published|pending|settling|no publication progress)\b/i;

/** Adds a hint to OpenClaw's reason for having no answer. */
export function explainFailure(reason: string): Failure {
  if (WHILE_RELOADING.test(reason)) return RELOADING;
  const message = asSentence(reason);
  if (/authenticat|api key|credential|unauthori[sz]ed|HTTP 40[13]/i.test(reason))
    return { message, hint: "Check the model's credentials with `openclaw status` and `openclaw doctor`." };
  if (/couldn't generate a response/i.test(reason))
    return {
      message,
      hint: 'The model returned an empty answer. Ask again, or see what happened with `openclaw logs`.',
    };
  return { message, hint: 'Ask again, or see what happened with `openclaw logs`.' };
}

const RELOADING: Failure = {
  message: 'OpenClaw was applying a configuration change, and its agent did not answer.',
  hint: 'Ask again in a moment.',
};

const QUEUED: Failure = {
  message:
    'Another client is using this conversation, and OpenClaw added the message to the turn of that client.',
  hint: 'Ask for the result with the same sessionKey in a moment, or use another sessionKey.',
};

interface Prepared {
  readonly attachments: readonly Attachment[];
  /** Tells the caller what was changed. */
  readonly remarks: readonly string[];
}

interface Preparation {
  readonly policy: Hello['policy'];
  readonly limits: Pick<Limits, 'maxImagePixels' | 'maxScaleMs'>;
  readonly transcriber: Transcriber | undefined;
}

/** Transcribes and scales attachments to what the gateway accepts. Rejects with the signal's reason if aborted. */
async function prepareOrder(
  { message, attachments }: Pick<Order, 'message' | 'attachments'>,
  { policy, limits: { maxImagePixels, maxScaleMs }, transcriber }: Preparation,
  signal: AbortSignal,
): Promise<Prepared> {
  if (attachments.length === 0) return { attachments, remarks: [] };
  const transcribed = await withTranscripts(attachments, transcriber, signal);
  const fitted = await fitAttachments(
    transcribed.attachments,
    {
      maxImageBytes: policy.attachments?.maxImageBytes ?? policy.maxPayload,
      maxBytes: policy.attachments?.maxBytes ?? policy.maxPayload,
      maxFrameBytes: policy.maxPayload,
      messageBytes: Buffer.byteLength(JSON.stringify(message)),
    },
    signal,
    { limits: { maxImagePixels, maxScaleMs } },
  );
  return { attachments: fitted.attachments, remarks: [...transcribed.remarks, ...fitted.remarks] };
}
