import { describe, expect, it } from 'vitest';
import { PincerError, type ErrorCode } from '../../core/errors.ts';
import { recoveryOf, retryAfterOf } from './lifecycle.ts';

const error = (code: ErrorCode, data?: Record<string, unknown>): PincerError =>
  new PincerError(code, 'It is so.', { data });

describe('recoveryOf', () => {
  it.each([
    ['time', error('SERVER_UNREACHABLE')],
    ['time', error('SERVER_GONE')],
    ['time', error('CALL_TIMEOUT')],
    ['time', error('SERVER_UNREACHABLE', { status: 503 })],
    ['time', error('SERVER_PROTOCOL', { status: 500 })],
    ['sign-in', error('SIGN_IN_NEEDED', { status: 401 })],
    ['person', error('SERVER_UNREACHABLE', { status: 403 })],
    ['person', error('SERVER_UNREACHABLE', { status: 404 })],
    ['person', error('SERVER_UNREACHABLE', { neverRan: true })],
    ['person', error('SERVER_PROTOCOL')],
  ])('%s: %o', (recovery, problem) => expect(recoveryOf(problem)).toBe(recovery));
});

it('a server’s Retry-After is respected up to a limit', () => {
  expect(retryAfterOf(error('SERVER_UNREACHABLE'))).toBeUndefined();
  expect(retryAfterOf(error('SERVER_UNREACHABLE', { retryAfterMs: 5_000 }))).toBe(5_000);
  expect(retryAfterOf(error('SERVER_UNREACHABLE', { retryAfterMs: 86_400_000 }))).toBe(600_000);
});
