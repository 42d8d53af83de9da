import { describe, expect, it } from 'vitest';
import { readAnswer } from './call.ts';

const RESULT = { content: [{ type: 'text', text: 'a' }] };
const ANSWER = JSON.stringify({ jsonrpc: '2.0', id: 1, result: RESULT });

describe('the answer to a call', () => {
  it('is the result, alone or behind what was told before', () => {
    const progress = '{"jsonrpc":"2.0","method":"notifications/progress","params":{}}';
    expect(readAnswer(ANSWER)).toEqual(RESULT);
    expect(readAnswer(`: hello\n\ndata: ${progress}\n\nid: 2\ndata: ${ANSWER}\n\n`)).toEqual(RESULT);
  });

  it('says why there is no result, in a form that a model reads', () => {
    const error = { code: -32010, message: 'No. Run `pincer approvals allow 1`.' };
    expect(readAnswer(JSON.stringify({ jsonrpc: '2.0', id: 1, error }))).toEqual({
      content: [{ type: 'text', text: error.message }],
      isError: true,
    });
  });

  it('is none where nothing of that kind came', () => {
    for (const text of ['', 'no', 'data: no', '[]', '{}']) expect(readAnswer(text)).toBeUndefined();
  });
});
