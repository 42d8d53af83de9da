import { describe, expect, it } from 'vitest';
import { PincerError, type ErrorCode } from '../../core/errors.ts';
import { recoveryOf, retryAfterOf } from './lifecycle.ts';

const error = (code: ErrorCode, data?: Record<string, unknown>): PincerError =>
  new PincerError(code, 'It is so.', { data });

describe('what may put it right', () => {
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
  ])('%s: %o', (cure, problem) => expect(recoveryOf(problem)).toBe(cure));
});

it('a server may ask to be left alone, but not for ever', () => {
  expect(retryAfterOf(error('SERVER_UNREACHABLE'))).toBeUndefined();
  expect(retryAfterOf(error('SERVER_UNREACHABLE', { retryAfterMs: 5_000 }))).toBe(5_000);
  expect(retryAfterOf(error('SERVER_UNREACHABLE', { retryAfterMs: 86_400_000 }))).toBe(600_000);
});
