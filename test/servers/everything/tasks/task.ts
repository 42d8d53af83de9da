/** Work that continues after its call was answered. */
import { randomUUID } from 'node:crypto';
import { ProtocolError, type CallToolResult, type InputRequest } from '@modelcontextprotocol/server';

type Answers = Record<string, unknown>;
type Status = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** What a task's work can use. */
export interface TaskControl {
  signal: AbortSignal;
  /** Resolves when all questions are answered. */
  ask(questions: Record<string, InputRequest>): Promise<Answers>;
}

export type TaskWork = (control: TaskControl) => Promise<CallToolResult>;

const TTL_MS = 300_000;
const POLL_MS = 200;
const INTERNAL_ERROR = -32_603;

export class Task {
  readonly id = randomUUID();
  readonly #createdAt = new Date();
  #updatedAt = this.#createdAt;
  #status: Status = 'working';
  readonly #stopping = new AbortController();
  #pending: Record<string, InputRequest> = {};
  #answers: Answers = {};
  #resume = (): void => {};
  /** `result` or `error`, once the task has ended. */
  #end: object = {};

  constructor(work: TaskWork) {
    work({ signal: this.#stopping.signal, ask: (questions) => this.#ask(questions) }).then(
      (result) => this.#finish('completed', { result }),
      (error: unknown) => this.#finish('failed', { error: asJsonRpc(error) }),
    );
  }

  /** The answer to a call that became a task. */
  describe(): object {
    return {
      taskId: this.id,
      status: this.#status,
      createdAt: this.#createdAt.toISOString(),
      lastUpdatedAt: this.#updatedAt.toISOString(),
      ttlMs: TTL_MS,
      pollIntervalMs: POLL_MS,
    };
  }

  detail(): object {
    const questions = this.#status === 'input_required' ? { inputRequests: this.#pending } : {};
    return { ...this.describe(), ...questions, ...this.#end };
  }

  /** Ignores answers to questions that are not open. */
  update(answers: Answers): void {
    for (const [key, answer] of Object.entries(answers)) {
      if (this.#pending[key] === undefined) continue;
      const { [key]: _answered, ...others } = this.#pending;
      this.#pending = others;
      this.#answers[key] = answer;
    }
    if (this.#status === 'input_required' && Object.keys(this.#pending).length === 0) this.#resume();
  }

  cancel(): void {
    this.#finish('cancelled', {});
    this.#stopping.abort();
  }

  #ask(questions: Record<string, InputRequest>): Promise<Answers> {
    this.#pending = questions;
    this.#answers = {};
    this.#turn('input_required');
    return new Promise((resolve) => {
      this.#resume = () => {
        this.#turn('working');
        resolve(this.#answers);
      };
    });
  }

  /** Only the first end counts. */
  #finish(status: Status, end: object): void {
    if (this.#status !== 'working' && this.#status !== 'input_required') return;
    this.#end = end;
    this.#turn(status);
  }

  #turn(status: Status): void {
    this.#status = status;
    this.#updatedAt = new Date();
  }
}

const asJsonRpc = (error: unknown): { code: number; message: string } =>
  error instanceof ProtocolError
    ? { code: error.code, message: error.message }
    : { code: INTERNAL_ERROR, message: String(error) };
