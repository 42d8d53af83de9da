import { describe, expect, it } from 'vitest';
import { HandExchange, toolRequest } from '../../../../test/kit/fake-wire.ts';
import { PincerError, type ErrorCode } from '../core/errors.ts';
import { notExecuted, outcomeUnknown, type Outcome } from '../core/outcome.ts';
import type { Exchange } from '../core/request.ts';
import { withRepetition } from './requests.ts';

const OK: Outcome = { kind: 'ok', result: '{"content":[]}', era: 'legacy', extra: '' };
const reason = (code: ErrorCode, data?: Record<string, unknown>): PincerError =>
  new PincerError(code, 'It is so.', { data });

function begin(isRepeatable: boolean) {
  const caller = new HandExchange();
  const attempts: Exchange[] = [];
  const cancelled: string[] = [];
  const start = (attempt: Exchange) => {
    const index = attempts.push(attempt) - 1;
    return { cancel: (why: string) => void cancelled.push(`${index} ${why}`) };
  };
  const running = withRepetition({
    request: { ...toolRequest(), isRepeatable },
    exchange: caller,
    first: start,
    again: start,
  });
  return { caller, attempts, running, cancelled };
}

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a call is sent a second time', () => {
  it.each([
    [
      'if it did not run, because the session was lost',
      false,
      notExecuted(reason('SERVER_GONE', { status: 404 })),
    ],
    [
      'if it did not run, because the server was unreachable',
      false,
      notExecuted(reason('SERVER_UNREACHABLE')),
    ],
    ['if it was lost and is idempotent', true, outcomeUnknown(reason('SERVER_GONE'))],
  ])('%s', async (_name, isRepeatable, outcome) => {
    const { caller, attempts } = begin(isRepeatable);
    attempts[0]!.settle(outcome);
    await tick();
    expect(caller.kinds).toEqual([]);
    attempts[1]!.settle(OK);
    expect(caller.kinds).toEqual(['ok']);
  });

  it('and is outcome_unknown if the first may have run, even if the second did not', async () => {
    const { caller, attempts } = begin(true);
    attempts[0]!.settle(outcomeUnknown(reason('SERVER_GONE')));
    await tick();
    attempts[1]!.settle(notExecuted(reason('SERVER_UNREACHABLE')));
    expect(caller.kinds).toEqual(['outcome_unknown']);
    expect(caller.reason.code).toBe('SERVER_GONE');
  });

  it('and never a third time', async () => {
    const { caller, attempts } = begin(true);
    attempts[0]!.settle(outcomeUnknown(reason('SERVER_GONE')));
    await tick();
    attempts[1]!.settle(outcomeUnknown(reason('SERVER_GONE')));
    await tick();
    expect(attempts).toHaveLength(2);
    expect(caller.kinds).toEqual(['outcome_unknown']);
  });
});

describe('a call is not sent a second time', () => {
  it.each([
    ['if it was lost and is not idempotent', false, outcomeUnknown(reason('SERVER_GONE'))],
    [
      'if the server refused it with a status',
      true,
      notExecuted(reason('SERVER_UNREACHABLE', { status: 503 })),
    ],
    ['if it timed out', true, outcomeUnknown(reason('CALL_TIMEOUT'))],
    ['if it was cancelled', true, outcomeUnknown(reason('CALL_CANCELLED'))],
    ['if its answer was malformed', true, outcomeUnknown(reason('SERVER_PROTOCOL'))],
    ['if it needs a sign-in', true, notExecuted(reason('SIGN_IN_NEEDED', { status: 401 }))],
    ['if it was answered', true, OK],
  ])('%s', async (_name, isRepeatable, outcome) => {
    const { caller, attempts } = begin(isRepeatable);
    attempts[0]!.settle(outcome);
    await tick();
    expect(attempts).toHaveLength(1);
    expect(caller.kinds).toEqual([outcome.kind]);
  });

  it('if its client was asked a question', async () => {
    const { caller, attempts } = begin(true);
    attempts[0]!.ask({ method: 'elicitation/create', params: '{}', answer: () => undefined });
    attempts[0]!.settle(outcomeUnknown(reason('SERVER_GONE')));
    await tick();
    expect(caller.kinds).toEqual(['outcome_unknown']);
  });

  it('if it is cancelled at that moment', async () => {
    const { caller, attempts, running } = begin(true);
    attempts[0]!.settle(outcomeUnknown(reason('SERVER_GONE')));
    running.cancel('enough');
    await tick();
    expect(attempts).toHaveLength(1);
    expect(caller.kinds).toEqual(['outcome_unknown']);
  });
});

describe('a repeated call', () => {
  it('is cancelled in its current attempt', async () => {
    const { attempts, running, cancelled } = begin(true);
    attempts[0]!.settle(outcomeUnknown(reason('SERVER_GONE')));
    await tick();
    running.cancel('enough');
    expect(cancelled).toEqual(['1 enough']);
  });

  it('reports only progress that advances', async () => {
    const { caller, attempts } = begin(true);
    const progress = (to: number): string => `{"progressToken":1,"progress":${to}}`;
    attempts[0]!.notify('notifications/progress', progress(1));
    attempts[0]!.notify('notifications/progress', progress(2));
    attempts[0]!.settle(outcomeUnknown(reason('SERVER_GONE')));
    await tick();
    for (const to of [1, 2, 3]) attempts[1]!.notify('notifications/progress', progress(to));
    attempts[1]!.notify('notifications/message', '{"level":"info"}');
    expect(caller.notified).toEqual([
      ...[1, 2, 3].map((to) => `notifications/progress ${progress(to)}`),
      'notifications/message {"level":"info"}',
    ]);
  });
});
