import { isRecord } from '../is-record.ts';
import { parseBytes, type ByteText } from '../wire/byte-text.ts';

/** The id of the task that a result tells of: `taskId` in the modern era, `task.taskId` in the legacy one. */
export function taskIdIn(result: ByteText): string | undefined {
  // Most results do not have the word anywhere.
  if (!result.includes('"taskId"')) return undefined;
  const value = parseBytes(result);
  if (!isRecord(value)) return undefined;
  const { task } = value;
  const id = isRecord(task) ? task['taskId'] : value['resultType'] === 'task' ? value['taskId'] : undefined;
  return typeof id === 'string' ? id : undefined;
}
