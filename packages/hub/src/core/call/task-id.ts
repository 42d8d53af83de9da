import { isRecord } from '../is-record.ts';
import { parseBytes, type ByteText } from '../wire/byte-text.ts';

/** A result with a picture in it is not put together in memory only to be searched. */
const MAX_RESULT = 256 * 1024;

/** The id of the task that a result tells of: `taskId` in the modern era, `task.taskId` in the legacy one. */
export function taskIdIn(result: ByteText): string | undefined {
  // A task is told of in few words, and most results do not have this one anywhere.
  if (result.length > MAX_RESULT || !result.includes('"taskId"')) return undefined;
  const value = parseBytes(result);
  if (!isRecord(value)) return undefined;
  const { task } = value;
  const id = isRecord(task) ? task['taskId'] : value['resultType'] === 'task' ? value['taskId'] : undefined;
  return typeof id === 'string' ? id : undefined;
}
