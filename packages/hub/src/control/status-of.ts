import type { ErrorCode } from '../core/errors.ts';

/** The HTTP status of a failed control action. */
export function statusOf(code: ErrorCode): number {
  if (code === 'INTERNAL') return 500;
  if (code === 'SERVER_UNKNOWN' || code === 'TOOL_UNKNOWN') return 404;
  if (code === 'SERVER_EXISTS' || code === 'HUB_RUNNING') return 409;
  return 422;
}
