import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PincerError } from '../../core/errors.ts';
import type { Connection } from '../connection/connection.ts';
import { startHeartbeat } from './heartbeat.ts';

function connection(
  era: 'legacy' | 'modern',
  answer: () => Promise<unknown>,
  state = { silentMs: 30_000, isSuspect: false },
) {
  const asked: string[] = [];
  const retired: PincerError[] = [];
  const it = {
    era,
    ...state,
    ask(method: string, params: string, timeoutMs: number) {
      asked.push(`${method} ${timeoutMs} ${params.includes('2026-07-28')}`);
      return answer();
    },
    retire: (reason: PincerError) => void retired.push(reason),
  } as unknown as Connection;
  return { it, asked, retired };
}

const start = (current: () => Connection | undefined, isProgram = false) =>
  startHeartbeat({ server: 's', everyMs: 30_000, isProgram, now: () => Date.now(), current });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('a heartbeat', () => {
  it.each([
    ['legacy', 'ping 10000 false'],
    ['modern', 'server/discover 10000 true'],
  ] as const)('uses the method of the era: %s', async (era, question) => {
    const { it, asked, retired } = connection(era, async () => ({ error: '{"code":-32601}' }));
    const heartbeat = start(() => it);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked).toEqual([question, question]);
    expect(retired).toEqual([]);
    heartbeat.stop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked).toHaveLength(2);
  });

  it('retires a connection that does not answer', async () => {
    const { it, retired } = connection('legacy', () =>
      Promise.reject(new PincerError('CALL_TIMEOUT', 'Late.')),
    );
    start(() => it);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(retired).toMatchObject([
      { code: 'SERVER_GONE', message: expect.stringContaining('did not answer a heartbeat') as string },
    ]);
  });

  it.each([
    ['throttles', new PincerError('SERVER_UNREACHABLE', 'Later.', { data: { retryAfterMs: 9 } }), 0],
    ['refuses the request', new PincerError('SERVER_UNREACHABLE', 'No.', { data: { status: 429 } }), 0],
    ['fails with 500', new PincerError('SERVER_PROTOCOL', 'Oh.', { data: { status: 500 } }), 0],
    ['needs a sign-in', new PincerError('SIGN_IN_NEEDED', 'Who?', { data: { status: 401 } }), 1],
    ['does not know the session', new PincerError('SERVER_GONE', 'Who?', { data: { status: 404 } }), 1],
  ])('keeps or retires a server that %s', async (_name, error, times) => {
    const { it, retired } = connection('legacy', () => Promise.reject(error));
    start(() => it);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(retired).toEqual(Array.from({ length: times }, () => error));
  });

  it('retires a connection after the machine slept, without a request', async () => {
    const { it, asked, retired } = connection('modern', async () => ({}), { silentMs: 0, isSuspect: false });
    start(() => it);
    await vi.advanceTimersByTimeAsync(30_000);
    vi.setSystemTime(Date.now() + 3_600_000);
    expect(retired).toEqual([]);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(retired).toMatchObject([{ message: expect.stringContaining('slept') as string }]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(retired).toHaveLength(1);
    expect(asked).toEqual([]);
  });

  it('skips a server that has just sent a message', async () => {
    const { it, asked } = connection('legacy', async () => ({}), { silentMs: 10_000, isSuspect: true });
    start(() => it);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked).toEqual([]);
  });

  it('asks a program only after a call timed out, and never because of sleep', async () => {
    const well = connection('legacy', async () => ({}), { silentMs: 999_999, isSuspect: false });
    const ill = connection('legacy', async () => ({}), { silentMs: 0, isSuspect: true });
    start(() => well.it, true);
    start(() => ill.it, true);
    await vi.advanceTimersByTimeAsync(30_000);
    vi.setSystemTime(Date.now() + 3_600_000);
    await vi.advanceTimersByTimeAsync(30_000);
    expect([well.asked.length, ill.asked.length]).toEqual([0, 2]);
    expect([...well.retired, ...ill.retired]).toEqual([]);
  });

  it('does nothing without a connection', async () => {
    expect(() => start(() => undefined)).not.toThrow();
    await vi.advanceTimersByTimeAsync(60_000);
  });
});
