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
      'that certainly did not run, because the session was gone',
      false,
      notExecuted(reason('SERVER_GONE', { status: 404 })),
    ],
    [
      'that certainly did not run, because nobody was there',
      false,
      notExecuted(reason('SERVER_UNREACHABLE')),
    ],
    ['that was lost, and does no harm', true, outcomeUnknown(reason('SERVER_GONE'))],
  ])('%s', async (_name, isRepeatable, outcome) => {
    const { caller, attempts } = begin(isRepeatable);
    attempts[0]!.settle(outcome);
    await tick();
    expect(caller.kinds).toEqual([]);
    attempts[1]!.settle(OK);
    expect(caller.kinds).toEqual(['ok']);
  });

  it('and may have run the first time, though the second certainly did not', async () => {
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
    ['that was lost and may have changed something', false, outcomeUnknown(reason('SERVER_GONE'))],
    [
      'that the server refused with a status',
      true,
      notExecuted(reason('SERVER_UNREACHABLE', { status: 503 })),
    ],
    ['that took too long', true, outcomeUnknown(reason('CALL_TIMEOUT'))],
    ['that was cancelled', true, outcomeUnknown(reason('CALL_CANCELLED'))],
    ['that was answered with nonsense', true, outcomeUnknown(reason('SERVER_PROTOCOL'))],
    ['that needs a sign-in', true, notExecuted(reason('SIGN_IN_NEEDED', { status: 401 }))],
    ['that was answered', true, OK],
  ])('%s', async (_name, isRepeatable, outcome) => {
    const { caller, attempts } = begin(isRepeatable);
    attempts[0]!.settle(outcome);
    await tick();
    expect(attempts).toHaveLength(1);
    expect(caller.kinds).toEqual([outcome.kind]);
  });

  it('whose client was asked something', async () => {
    const { caller, attempts } = begin(true);
    attempts[0]!.ask({ method: 'elicitation/create', params: '{}', answer: () => undefined });
    attempts[0]!.settle(outcomeUnknown(reason('SERVER_GONE')));
    await tick();
    expect(caller.kinds).toEqual(['outcome_unknown']);
  });

  it('that is cancelled at that very moment', async () => {
    const { caller, attempts, running } = begin(true);
    attempts[0]!.settle(outcomeUnknown(reason('SERVER_GONE')));
    running.cancel('enough');
    await tick();
    expect(attempts).toHaveLength(1);
    expect(caller.kinds).toEqual(['outcome_unknown']);
  });
});

describe('a repeated call', () => {
  it('is cancelled where it runs', async () => {
    const { attempts, running, cancelled } = begin(true);
    attempts[0]!.settle(outcomeUnknown(reason('SERVER_GONE')));
    await tick();
    running.cancel('enough');
    expect(cancelled).toEqual(['1 enough']);
  });

  it('tells only of progress that goes on', async () => {
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
