import { randomBytes } from 'node:crypto';
import { isObject, type JsonObject } from '../../servers/json.ts';
import type { ScriptResult } from '../../servers/script.ts';
import { lateQuestionsIn, logsIn, progressIn, questionsIn, type Plan } from './plan.ts';

export const MARKER = /mk-[0-9a-f]{16}/g;

/** What the client of an operation has declared. */
export interface Asker {
  name: string;
  /** Whether it accepts questions. */
  isAble: boolean;
  /** The log levels that it receives. */
  levels: readonly string[];
  /** Whether it receives all log messages, because the wire to the server tells which call each belongs to. */
  hearsAll: boolean;
}

/** One operation in flight, and what its client has received so far. */
export class Operation {
  /** A secret that occurs in every message of this operation. */
  readonly marker = `mk-${randomBytes(8).toString('hex')}`;
  readonly plan: Plan;
  readonly asker: Asker;
  readonly progress: number[] = [];
  questions = 0;
  logs = 0;
  isCancelled = false;
  isDone = false;
  /** The stream that the answer came on. */
  endStream: string | undefined;
  readonly #end = Promise.withResolvers<void>();

  constructor(plan: Plan, asker: Asker) {
    this.plan = plan;
    this.asker = asker;
  }

  get ended(): Promise<void> {
    return this.#end.promise;
  }

  /** The client's answer to questions about this operation. */
  get signature(): string {
    return `by:${this.asker.name}:${this.marker}`;
  }

  end(stream?: string): void {
    this.isDone = true;
    this.endStream = stream;
    this.#end.resolve();
  }

  /** Problems with its final answer, or with the messages before it. */
  faults(message: JsonObject): string[] {
    const { plan, asker, isCancelled } = this;
    const questions = questionsIn(plan);
    const mayFail = isCancelled || plan.refuses || (questions > 0 && !asker.isAble);
    if (!isObject(message['result'])) return mayFail ? [] : ['it failed'];
    const result = readResult(message['result']);
    if (result?.marker !== this.marker || result.server !== plan.server) return ['the result is not its own'];
    const faults: string[] = [];
    const logs = logsIn(plan, asker.levels);
    if (this.logs > logs.all) faults.push(`it heard ${this.logs} log messages`);
    if (isCancelled) return faults;
    if (asker.hearsAll && this.logs < logs.own) faults.push(`it heard only ${this.logs} log messages`);
    if (String(this.progress) !== String(progressIn(plan)))
      faults.push(`its progress was ${this.progress.join()}`);
    const least = asker.isAble ? questions : 0;
    const most = asker.isAble ? questions + lateQuestionsIn(plan) : 0;
    if (this.questions < least || this.questions > most) faults.push(`it was asked ${this.questions} times`);
    const isSigned = (answer: unknown): boolean => JSON.stringify(answer).includes(this.signature);
    if (
      asker.isAble &&
      !plan.refuses &&
      !(result.answers.length === questions && result.answers.every(isSigned))
    )
      faults.push('not all answers are its own');
    return faults;
  }
}

function readResult({ content, messages, contents }: JsonObject): ScriptResult | undefined {
  const [first] = (content ?? messages ?? contents ?? []) as JsonObject[];
  const text = (isObject(first?.['content']) ? first['content'] : first)?.['text'];
  return typeof text === 'string' && text.startsWith('{') ? (JSON.parse(text) as ScriptResult) : undefined;
}
