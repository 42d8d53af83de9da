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

/** Of the task `t` alone. */
const IDS = {
  toCaller: (task: string) => `own ${task}`,
  toServer: (id: string) => (id === 'own t' ? 't' : undefined),
};
const KEY = 'io.modelcontextprotocol/related-task';

describe('a result of a call', () => {
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
  ])('%s names the hub’s task', (result, renamed) => {
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
  ])('%.60s is left as it came', (result) => {
    expect(resultToCaller(result, 'tools/call', IDS)).toBe(result);
  });
});

it.each(['prompts/get', 'resources/read', 'completion/complete'])(
  'a result of %s names no task',
  (method) => {
    const result = '{"task":{"taskId":"t"}}';
    expect(resultToCaller(result, method, IDS)).toBe(result);
  },
);

describe('a task that is asked for', () => {
  it('has its questions and its result under the same id, however long it is', () => {
    const related = `"_meta":{"${KEY}":{"taskId":"t"}}`;
    const task = (id: string): string =>
      `{"taskId":"${id}","inputRequests":{"q":{"method":"m","params":{"message":"taskId",${related.replace('"t"', `"${id}"`)}}}},"result":{"content":["${'x'.repeat(300_000)}"],${related.replace('"t"', `"${id}"`)}}}`;
    expect(resultToCaller(task('t'), 'tasks/get', IDS)).toBe(task('own t'));
  });

  it('is the same in what a client is told of it', () => {
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
  it('and its answer are related to the task by the id of whoever gets them', () => {
    const related = (id: string): string => `{"message":"?","_meta":{"${KEY}":{"taskId":"${id}"}}}`;
    expect(questionToCaller(related('t'), IDS)).toBe(related('own t'));
    expect(answerToServer(related('own t'), IDS)).toBe(related('t'));
  });

  it.each(['t', 'own u', ''])(
    'answered for the task %j, which the caller does not have, is related to none',
    (id) => {
      const answer = `{"action":"accept","_meta":{"a":1,"${KEY}":{"taskId":"${id}"}}}`;
      expect(answerToServer(answer, IDS)).toBe('{"action":"accept","_meta":{"a":1}}');
    },
  );
});

describe('a request', () => {
  const meta = (id: string) => readMembers(`{"progressToken":1,"${KEY}":{"taskId":"${id}"}}`);

  it('that is related to a task reaches the server with the server’s id', () => {
    expect(writeMembers(metaToServer(meta('own t'), IDS)!)).toBe(
      `{"progressToken":1,"${KEY}":{"taskId":"t"}}`,
    );
    const plain = readMembers('{"progressToken":1}');
    expect(metaToServer(plain, IDS)).toBe(plain);
  });

  it('that is related to another task is none', () => {
    expect(metaToServer(meta('t'), IDS)).toBeUndefined();
  });
});
