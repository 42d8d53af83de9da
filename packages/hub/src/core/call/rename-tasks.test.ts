import { describe, expect, it } from 'vitest';
import {
  answerToServer,
  metaToServer,
  noticeToCaller,
  questionToCaller,
  resultToCaller,
} from './task-ids.ts';
import { toByteText } from '../wire/byte-text.ts';
import { readMembers, writeMembers } from '../wire/members.ts';

/** Knows the task `t` only. */
const IDS = {
  toCaller: (task: string) => `own ${task}`,
  toServer: (id: string) => (id === 'own t' ? 't' : undefined),
};
const KEY = 'io.modelcontextprotocol/related-task';

describe('a result of tools/call', () => {
  it.each([
    [
      '{"task":{"taskId":"t","status":"working"},"n": 1.0}',
      '{"task":{"taskId":"own t","status":"working"},"n":1.0}',
    ],
    ['{"resultType":"task","taskId":"t"}', '{"resultType":"task","taskId":"own t"}'],
    ['{"resultType":"task","taskId":"gr\\u00f6\\"e"}', '{"resultType":"task","taskId":"own grö\\"e"}'],
    [
      `{"content":[],"_meta":{"a":1,"${KEY}":{"taskId":"t","x":2}}}`,
      `{"content":[],"_meta":{"a":1,"${KEY}":{"taskId":"own t","x":2}}}`,
    ],
    [`{"_meta":{"${KEY.replace('/', '\\/')}":{"task\\u0049d":"x","taskId":"t"}}}`, undefined],
  ])('gets the hub’s task id: %s', (result, renamed) => {
    const found = resultToCaller(toByteText(result), 'tools/call', IDS);
    expect(found).toBe(toByteText(renamed ?? result));
  });

  it.each([
    '{"content":[{"type":"text","text":"\\"taskId\\""}] }',
    '{"taskId":"t"} ',
    '{"resultType":"complete", "taskId":"t"}',
    '{"task":{"taskId":7}}',
    '{"structuredContent":{"task":{"taskId":"t"}}, "x":1}',
    '{"task":["taskId"]}',
    '["taskId"]',
    '{"task":{"taskId":"t"},"task":{"taskId":"u"}}',
    `{"content":[],"x":"${'taskId'.repeat(50_000)}","task":{"taskId":"t"}}`,
  ])('stays unchanged: %.60s', (result) => {
    expect(resultToCaller(result, 'tools/call', IDS)).toBe(result);
  });
});

it.each(['prompts/get', 'resources/read', 'completion/complete'])(
  'a result of %s gets no task ids',
  (method) => {
    const result = '{"task":{"taskId":"t"}}';
    expect(resultToCaller(result, method, IDS)).toBe(result);
  },
);

describe('a task', () => {
  it('has the same id in its questions and its result, at any length', () => {
    const related = `"_meta":{"${KEY}":{"taskId":"t"}}`;
    const task = (id: string): string =>
      `{"taskId":"${id}","inputRequests":{"q":{"method":"m","params":{"message":"taskId",${related.replace('"t"', `"${id}"`)}}}},"result":{"content":["${'x'.repeat(300_000)}"],${related.replace('"t"', `"${id}"`)}}}`;
    expect(resultToCaller(task('t'), 'tasks/get', IDS)).toBe(task('own t'));
  });

  it('has the same id in notifications', () => {
    const status = '{"taskId":"t","status":"working"}';
    expect(noticeToCaller('notifications/tasks/status', status, IDS)).toBe(
      '{"taskId":"own t","status":"working"}',
    );
    expect(noticeToCaller('notifications/tasks', status, IDS)).toContain('own t');
    expect(noticeToCaller('notifications/message', status, IDS)).toBe(status);
    const related = `{"progress":1,"_meta":{"${KEY}":{"taskId":"t"}}}`;
    expect(noticeToCaller('notifications/progress', related, IDS)).toContain('"own t"');
  });
});

describe('a question', () => {
  it('has the recipient’s task id, and so has its answer', () => {
    const related = (id: string): string => `{"message":"?","_meta":{"${KEY}":{"taskId":"${id}"}}}`;
    expect(questionToCaller(related('t'), IDS)).toBe(related('own t'));
    expect(answerToServer(related('own t'), IDS)).toBe(related('t'));
  });

  it.each(['t', 'own u', ''])('loses the related task of an answer if the caller has no task %j', (id) => {
    const answer = `{"action":"accept","_meta":{"a":1,"${KEY}":{"taskId":"${id}"}}}`;
    expect(answerToServer(answer, IDS)).toBe('{"action":"accept","_meta":{"a":1}}');
  });
});

describe('a request', () => {
  const meta = (id: string) => readMembers(`{"progressToken":1,"${KEY}":{"taskId":"${id}"}}`);

  it('reaches the server with the server’s task id', () => {
    expect(writeMembers(metaToServer(meta('own t'), IDS)!)).toBe(
      `{"progressToken":1,"${KEY}":{"taskId":"t"}}`,
    );
    const plain = readMembers('{"progressToken":1}');
    expect(metaToServer(plain, IDS)).toBe(plain);
  });

  it('is refused if it is related to an unknown task', () => {
    expect(metaToServer(meta('t'), IDS)).toBeUndefined();
  });
});
