/** A source whose answers the test gives. For unit tests. */
import { PincerError } from '../../packages/hub/src/core/errors.ts';
import { outcomeUnknown, type Outcome } from '../../packages/hub/src/core/outcome.ts';
import type { Era } from '../../packages/hub/src/core/protocol.ts';
import type {
  Answer,
  Exchange,
  Running,
  Source,
  SourceRequest,
} from '../../packages/hub/src/core/request.ts';
import { toByteText } from '../../packages/hub/src/core/wire/byte-text.ts';
import { writeMembers } from '../../packages/hub/src/core/wire/members.ts';

/** A request that reached the source, for the test to answer. */
export interface Upstream {
  readonly request: SourceRequest;
  readonly exchange: Exchange;
  readonly cancelled: string[];
  isOver: boolean;
  /** `params` as the server would receive them. */
  readonly params: string;
  answer(result: string, era?: Era): void;
  fail(error: string): void;
  settle(outcome: Outcome): void;
  ask(method: string, params?: string): Answer[];
}

/** Ends a cancelled call itself, as a connection does. */
export class HandSource implements Source {
  readonly name = 's';
  readonly asked: Upstream[] = [];
  throws: Error | undefined;
  onRequest: (() => void) | undefined;

  request(request: SourceRequest, exchange: Exchange): Running {
    this.onRequest?.();
    if (this.throws !== undefined) throw this.throws;
    const upstream: Upstream = {
      request,
      exchange,
      cancelled: [],
      isOver: false,
      params: Buffer.from(writeMembers(request.params), 'latin1').toString(),
      answer: (result, era = 'legacy') => settle({ kind: 'ok', result: toByteText(result), era, extra: '' }),
      fail: (error) => settle({ kind: 'tool_error', error: toByteText(error), extra: '' }),
      settle: (outcome) => settle(outcome),
      ask(method, params = '{}') {
        const answers: Answer[] = [];
        exchange.ask({ method, params, answer: (answer) => void answers.push(answer) });
        return answers;
      },
    };
    const settle = (outcome: Outcome): void => {
      if (upstream.isOver) return;
      upstream.isOver = true;
      exchange.settle(outcome);
    };
    this.asked.push(upstream);
    return {
      cancel(reason) {
        upstream.cancelled.push(reason);
        settle(outcomeUnknown(new PincerError('CALL_CANCELLED', `Cancelled: ${reason}.`)));
      },
    };
  }
  async watch(): Promise<void> {}
  tell(): void {}
  forget(): void {}

  get last(): Upstream {
    return this.asked.at(-1)!;
  }
}
