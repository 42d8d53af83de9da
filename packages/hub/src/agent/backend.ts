/** What runs an order: OpenClaw's gateway, or OpenClaw itself where no gateway runs. */
import type { PincerError } from '../core/errors.ts';
import type { Attachment } from './media/in/read-media.ts';
import type { ReplyMedia } from './media/out/content-blocks.ts';

export interface Order {
  /** The very text that came. */
  readonly message: string;
  /** Of `sessionKeyFor`. */
  readonly sessionKey: string;
  readonly attachments: readonly Attachment[];
  /** Undefined: OpenClaw's default agent. */
  readonly agentId: string | undefined;
  /** Whether a message such as `/status` is a command of OpenClaw's. */
  readonly commands: boolean;
}

/** Whoever waits for an order. */
export interface OrderListener {
  /** Nobody wants it any more: the run is stopped, and `run` resolves all the same. */
  readonly signal: AbortSignal;
  /** There is something new; what it is can be read when somebody wants to know. */
  onProgress(read: () => OrderProgress): void;
  /** The agent needs an approval. Undefined: nobody has answered. Absent: nobody here can be asked. */
  readonly ask?: ((question: AgentQuestion) => Promise<string | undefined>) | undefined;
  /** The agent asks its user something. Undefined: they have not said anything. Absent: nobody here can be asked. */
  readonly answer?: ((asked: UserQuestions) => Promise<UserAnswers | 'declined' | undefined>) | undefined;
}

export interface OrderProgress {
  /** All that was said so far. */
  readonly text: string;
  /** The tool that is at work. */
  readonly tool: string | undefined;
}

export interface AgentQuestion {
  readonly title: string;
  readonly detail: string;
  /** What may be answered, the most careful one last. */
  readonly decisions: readonly string[];
  /** Aborted where somebody else has answered, or the run has ended. */
  readonly signal: AbortSignal;
}

/** What is answered all at once. */
export interface UserQuestions {
  readonly agentId: string | undefined;
  readonly questions: readonly UserQuestion[];
  /** Aborted where somebody else has answered, or the run has ended. */
  readonly signal: AbortSignal;
}

export interface UserQuestion {
  readonly id: string;
  /** A word or two. */
  readonly header: string;
  readonly text: string;
  readonly link: string | undefined;
  /** None: it is answered in words. */
  readonly options: readonly UserOption[];
  readonly takesSeveral: boolean;
  /** Whether something else than an option may be answered. */
  readonly takesWords: boolean;
}

export interface UserOption {
  readonly label: string;
  readonly description: string | undefined;
}

/** By the ids of all questions. An option is answered by its label. */
export type UserAnswers = Readonly<Record<string, readonly string[]>>;

export type OrderEnd =
  | {
      readonly kind: 'answered';
      readonly text: string;
      readonly media: readonly ReplyMedia[];
      /** What the caller should know besides: an image was scaled down. */
      readonly remarks: readonly string[];
    }
  /** The agent ran, and says why it has no answer. */
  | { readonly kind: 'failed'; readonly message: string; readonly hint?: string; readonly text: string }
  /** Somebody stopped it: with what had been said by then. */
  | { readonly kind: 'stopped'; readonly text: string; readonly neverRan?: boolean }
  /** It was handed over, and nobody can say what became of it. */
  | { readonly kind: 'lost'; readonly reason: PincerError };

export interface Backend {
  /** Rejects with a `PincerError` where the order certainly did not run, and with the signal's reason where that is aborted by then. */
  run(order: Order, listener: OrderListener): Promise<OrderEnd>;
  /** Settings may have changed: what is ordered from now on goes where they say. */
  reconsider?(): void;
  close(): void;
}
