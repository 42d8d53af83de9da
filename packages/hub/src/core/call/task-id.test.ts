import { describe, expect, it } from 'vitest';
import { taskIdIn } from './task-id.ts';
import { toByteText } from '../wire/byte-text.ts';

describe('taskIdIn', () => {
  it.each([
    ['{"task":{"taskId":"t-1","status":"working"}}', 't-1'],
    ['{"resultType":"task","taskId":"t-1"}', 't-1'],
    ['{"resultType":"task","taskId":"größe \\"\\u0041"}', 'größe "A'],
    ['{"resultType":"task","task":{"taskId":"inner"},"taskId":"outer"}', 'inner'],
  ])('%s tells of %j', (result, id) => {
    expect(taskIdIn(toByteText(result))).toBe(id);
  });

  it.each([
    '{}',
    '{"content":[{"type":"text","text":"\\"taskId\\""}]}',
    '{"taskId":"t"}',
    '{"resultType":"complete","taskId":"t"}',
    '{"task":{"taskId":7}}',
    '{"resultType":"task","taskId":null}',
    '{"structuredContent":{"task":{"taskId":"t"}}}',
    '{"task":["taskId"]}',
    '["taskId"]',
  ])('%s tells of none', (result) => {
    expect(taskIdIn(result)).toBeUndefined();
  });
});
