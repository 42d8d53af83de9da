import { expect, it } from 'vitest';
import { ERROR_CODES, type ErrorCode } from '../core/errors.ts';
import { statusOf } from './status-of.ts';

it('every code has a status: not found, conflict, our own fault, or a request that cannot be fulfilled', () => {
  const special: Partial<Record<ErrorCode, number>> = {
    INTERNAL: 500,
    SERVER_UNKNOWN: 404,
    TOOL_UNKNOWN: 404,
    SERVER_EXISTS: 409,
    HUB_RUNNING: 409,
  };
  for (const code of Object.keys(ERROR_CODES) as ErrorCode[])
    expect(statusOf(code), code).toBe(special[code] ?? 422);
});
