/** The contract of a backend that runs orders, and the choice between OpenClaw's gateway and a local run of OpenClaw. */
import type { AgentConfig } from '../config/schema.ts';
import { PincerError } from '../core/errors.ts';
import type { Log } from '../core/ports.ts';
import { orAborted } from '../lib/time.ts';
import { isLoopbackHost } from '../lib/loopback.ts';
import type { GatewayAddress } from '../openclaw/find.ts';
import type { Gateways } from './gateway/gateway.ts';
import type { ReplyMedia } from './media/content-blocks.ts';
import type { Attachment } from './media/read-attachments.ts';

export interface Order {
  /** The text of the caller, unchanged. */
  readonly message: string;
  /** From `sessionKeyFor`. */
  readonly sessionKey: string;
  readonly attachments: readonly Attachment[];
  /** Undefined for OpenClaw's default agent. */
  readonly agentId: string | undefined;
  /** Whether a message such as `/status` is a command of OpenClaw's. */
  readonly commands: boolean;
}

export interface OrderListener {
  /** Stops the run. `run` still resolves. */
  readonly signal: AbortSignal;
  /** Reports progress. `read` computes it on demand. */
  onProgress(read: () => OrderProgress): void;
  /** Asks for an approval. Resolves with undefined if there was no decision. Absent if no person can be asked. */
  readonly ask?: ((question: AgentQuestion) => Promise<string | undefined>) | undefined;
  /** Asks the user's questions. Resolves with undefined if there was no answer. Absent if no person can be asked. */
  readonly answer?: ((asked: UserQuestions) => Promise<UserAnswers | 'declined' | undefined>) | undefined;
}

export interface OrderProgress {
  /** The text so far. */
  readonly text: string;
  /** The tool that runs now. */
  readonly tool: string | undefined;
}

export interface AgentQuestion {
  readonly title: string;
  readonly detail: string;
  /** The allowed answers, the safest one last. */
  readonly decisions: readonly string[];
  /** Aborted if it was answered elsewhere, or the run has ended. */
  readonly signal: AbortSignal;
}

/** Questions with one answer for all of them. */
export interface UserQuestions {
  readonly agentId: string | undefined;
  readonly questions: readonly UserQuestion[];
  /** Aborted if they were answered elsewhere, or the run has ended. */
  readonly signal: AbortSignal;
}

export interface UserQuestion {
  readonly id: string;
  /** A short label. */
  readonly header: string;
  readonly text: string;
  readonly link: string | undefined;
  /** Empty if the answer is free text. */
  readonly options: readonly UserOption[];
  readonly takesSeveral: boolean;
  /** Whether the answer may be free text. */
  readonly takesWords: boolean;
}

export interface UserOption {
  readonly label: string;
  readonly description: string | undefined;
}

/** By question id. Options are given by their labels. */
export type UserAnswers = Readonly<Record<string, readonly string[]>>;

export type OrderEnd =
  | {
      readonly kind: 'answered';
      readonly text: string;
      readonly media: readonly ReplyMedia[];
      /** Notes for the caller, such as "image was scaled down". */
      readonly remarks: readonly string[];
    }
  /** The agent ran and failed. */
  | { readonly kind: 'failed'; readonly message: string; readonly hint?: string; readonly text: string }
  /** It was stopped. Has the text so far. */
  | { readonly kind: 'stopped'; readonly text: string; readonly neverRan?: boolean }
  /** It was sent, and its result is unknown. */
  | { readonly kind: 'lost'; readonly reason: PincerError };

export interface Backend {
  /** Rejects with a `PincerError` if the order certainly did not run, or with the signal's reason if it was aborted. */
  run(order: Order, listener: OrderListener): Promise<OrderEnd>;
  /** Applies changed settings to the next orders. */
  reconsider?(): void;
  close(): void;
}

export interface BackendsParts {
  readonly gateways: Pick<Gateways, 'current'>;
  readonly overGateway: Backend;
  readonly local: Backend;
  readonly log: Log;
  settings(): Pick<AgentConfig, 'backend'>;
  find(): GatewayAddress | { readonly reason: string };
}

/** Chooses a backend for each order: the gateway, or with `auto` a local run if no gateway runs on this machine. */
export function createBackends(parts: BackendsParts): Backend {
  const { gateways, overGateway, local, log, settings, find } = parts;

  async function choose(signal: AbortSignal): Promise<Backend> {
    const { backend } = settings();
    if (backend !== 'auto') return backend === 'local' ? local : overGateway;
    try {
      await orAborted(gateways.current().orders.connect(), signal);
      return overGateway;
    } catch (error) {
      if (!PincerError.is(error) || error.code !== 'SERVER_UNREACHABLE' || !mayRunHere(find())) throw error;
      log.debug('no gateway answers; OpenClaw runs locally', { error: error.message });
      return local;
    }
  }

  return {
    async run(order, listener) {
      const { signal } = listener;
      let backend: Backend | undefined;
      try {
        backend = await choose(signal);
        return await backend.run(order, listener);
      } catch (error) {
        // The order was cancelled before it started.
        if (signal.aborted) return { kind: 'stopped', text: '', neverRan: true };
        // A gateway was started meanwhile, and OpenClaw refuses to run locally beside it.
        if (backend === local && settings().backend === 'auto' && isLeftToGateway(error))
          return overGateway.run(order, listener);
        throw error;
      }
    },
    reconsider: () => overGateway.reconsider?.(),
    close() {
      overGateway.close();
      local.close();
    },
  };
}

const isLeftToGateway = (error: unknown): boolean =>
  PincerError.is(error) && error.data?.['reason'] === 'gateway';

/** A local run never replaces a remote gateway, which has other conversations and another memory. */
export const mayRunHere = (found: ReturnType<BackendsParts['find']>): boolean =>
  'url' in found && !found.isNamed && isLoopbackHost(new URL(found.url).hostname);
