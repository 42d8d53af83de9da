import { describe, expect, it } from 'vitest';
import { PincerError } from '../../core/errors.ts';
import { lostCall, refusedCall } from './lost-call.ts';

const call = { server: 'x', tool: 'echo' };
const unreachable = (sent: boolean): PincerError =>
  new PincerError('HUB_UNREACHABLE', 'Gone.', { hint: 'Look.', data: { sent } });

describe('lostCall', () => {
  it.each<[PincerError, object]>([
    [unreachable(false), { code: 'HUB_UNREACHABLE', hint: 'Look.', data: { outcome: 'not_executed' } }],
    [unreachable(true), { code: 'HUB_UNREACHABLE', data: { outcome: 'outcome_unknown' } }],
    [
      new PincerError('CALL_TIMEOUT', 'No answer within 5 ms.'),
      { message: 'x.echo was cancelled: No answer within 5 ms.', data: { outcome: 'outcome_unknown' } },
    ],
    [new PincerError('TOKEN_INVALID', 'No.'), { code: 'TOKEN_INVALID', data: { outcome: 'not_executed' } }],
  ])('%o', (error, expected) => expect(lostCall(error, call)).toMatchObject(expected));
});

describe('refusedCall', () => {
  it('says what the hub said', () => {
    const body = '{"jsonrpc":"2.0","id":null,"error":{"code":-32010,"message":"Too many calls."}}';
    expect(refusedCall(503, body)).toMatchObject({ code: 'SERVER_BUSY', message: 'Too many calls.' });
    expect(refusedCall(413, 'x')).toMatchObject({ message: 'The hub refused the call with HTTP 413.' });
  });
});
