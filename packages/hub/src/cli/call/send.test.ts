import { describe, expect, it } from 'vitest';
import { readAnswer, readProgress, cancelledCall, lostCall, refusedCall } from './send.ts';
import { PincerError } from '../../core/errors.ts';

const error = (data: unknown): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32010, message: 'no', data } });

describe('readAnswer', () => {
  it('returns the bytes of the result unchanged', () => {
    expect(readAnswer('{"jsonrpc":"2.0","id":1,"result":{"n":99999999999999999999} }')).toEqual({
      result: '{"n":99999999999999999999}',
    });
  });

  it("reads the hub's code, outcome and hint from an error", () => {
    const data = { code: 'POLICY_DENIED', outcome: 'not_executed', hint: 'Ask.' };
    expect(readAnswer(error(data))).toMatchObject({
      failure: { code: 'POLICY_DENIED', message: 'no', hint: 'Ask.', data: { outcome: 'not_executed' } },
    });
  });

  it.each([undefined, null, 'x', { code: 'toString' }, { code: 7 }])(
    "treats an error with data %j as the server's own",
    (data) => {
      expect(readAnswer(error(data))).toMatchObject({
        failure: { code: 'TOOL_ERROR', message: 'The server answered with error -32010: no' },
      });
    },
  );

  it('returns undefined for a notification', () => {
    expect(readAnswer('{"jsonrpc":"2.0","method":"notifications/message","params":{}}')).toBeUndefined();
  });
});

describe('readProgress', () => {
  it('reads progress and nothing else', () => {
    const params = { progressToken: 1, progress: 2, total: 4, message: 'héllo' };
    const message = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params });
    expect(readProgress(Buffer.from(message).toString('latin1'))).toEqual(params);
    expect(readProgress('{"jsonrpc":"2.0","id":1,"result":{}}')).toBeUndefined();
  });
});

const call = { server: 'x', tool: 'echo', timeoutMs: 5 };
const unreachable = (sent: boolean): PincerError =>
  new PincerError('HUB_UNREACHABLE', 'Gone.', { hint: 'Look.', data: { sent } });

describe('lostCall', () => {
  it.each<[PincerError, object]>([
    [unreachable(false), { code: 'HUB_UNREACHABLE', hint: 'Look.', data: { outcome: 'not_executed' } }],
    [unreachable(true), { code: 'HUB_UNREACHABLE', data: { outcome: 'outcome_unknown' } }],
    [
      new PincerError('CALL_TIMEOUT', 'No answer within 1005 ms.'),
      { message: 'x.echo was cancelled: no answer within 5 ms.', data: { outcome: 'outcome_unknown' } },
    ],
    [new PincerError('TOKEN_INVALID', 'No.'), { code: 'TOKEN_INVALID', data: { outcome: 'not_executed' } }],
  ])('%o', (error, expected) => expect(lostCall(error, call)).toMatchObject(expected));
});

describe('cancelledCall', () => {
  const cancelled = (outcome: string): PincerError =>
    new PincerError('CALL_CANCELLED', 'Cancelled.', { data: { outcome } });

  it('reports the outcome of a call that timed out', () => {
    expect(cancelledCall(cancelled('not_executed'), call)).toMatchObject({
      code: 'CALL_TIMEOUT',
      message: 'x.echo was cancelled: no answer within 5 ms. It was not run.',
      data: { outcome: 'not_executed' },
    });
    expect(cancelledCall(cancelled('outcome_unknown'), call)).toMatchObject({
      hint: 'It may have run. Check what it did before you repeat it.',
      data: { outcome: 'outcome_unknown' },
    });
  });

  it('leaves every other failure as it is', () => {
    const denied = new PincerError('APPROVAL_DENIED', 'No.');
    expect(cancelledCall(denied, call)).toBe(denied);
    const own = cancelled('outcome_unknown');
    expect(cancelledCall(own, { ...call, timeoutMs: undefined })).toBe(own);
  });
});

describe('refusedCall', () => {
  it("quotes the hub's message", () => {
    const body = '{"jsonrpc":"2.0","id":null,"error":{"code":-32010,"message":"Too many calls."}}';
    expect(refusedCall(503, body)).toMatchObject({ code: 'SERVER_BUSY', message: 'Too many calls.' });
    expect(refusedCall(413, 'x')).toMatchObject({ message: 'The hub refused the call with HTTP 413.' });
  });
});
