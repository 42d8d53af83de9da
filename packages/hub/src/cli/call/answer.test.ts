import { describe, expect, it } from 'vitest';
import { readAnswer, readProgress } from './send.ts';

const error = (data: unknown): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32010, message: 'no', data } });

describe('readAnswer', () => {
  it('cuts the result out as it is', () => {
    expect(readAnswer('{"jsonrpc":"2.0","id":1,"result":{"n":99999999999999999999} }')).toEqual({
      result: '{"n":99999999999999999999}',
    });
  });

  it('takes our code, outcome and hint out of an error', () => {
    const data = { code: 'POLICY_DENIED', outcome: 'not_executed', hint: 'Ask.' };
    expect(readAnswer(error(data))).toMatchObject({
      failure: { code: 'POLICY_DENIED', message: 'no', hint: 'Ask.', data: { outcome: 'not_executed' } },
    });
  });

  it.each([undefined, null, 'x', { code: 'toString' }, { code: 7 }])(
    "takes an error with data %j for the server's own",
    (data) => {
      expect(readAnswer(error(data))).toMatchObject({
        failure: { code: 'TOOL_ERROR', message: 'The server answered with error -32010: no' },
      });
    },
  );

  it('knows what is no answer', () => {
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
