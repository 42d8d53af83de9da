import { isRecord } from '../../core/is-record.ts';

/** Where a list goes on: after this entry, or the place where it would be if it is gone meanwhile. */
export const writeCursor = (method: string, lastKey: string): string =>
  Buffer.from(JSON.stringify({ method, after: lastKey })).toString('base64url');

/** The last key; undefined for what was never handed out for this list. */
export function readCursor(method: string, cursor: string): string | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    const after = isRecord(value) ? value['after'] : undefined;
    return typeof after === 'string' && writeCursor(method, after) === cursor ? after : undefined;
  } catch {
    return undefined;
  }
}
