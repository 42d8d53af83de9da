import { describe, expect, it } from 'vitest';
import { ERROR_CODES, type ErrorCode } from '../core/errors.ts';
import { EXIT, EXIT_TYPES, exitCodeOf } from './exit-codes.ts';

describe('exit codes', () => {
  it('never change', () => {
    expect(EXIT).toEqual({
      ok: 0,
      failure: 1,
      usage: 2,
      signInNeeded: 3,
      unreachable: 4,
      toolError: 5,
      denied: 6,
      interrupted: 130,
    });
  });

  it.each(Object.keys(ERROR_CODES) as ErrorCode[])('include one for %s that is not 0', (code) => {
    const exitCode = exitCodeOf(code);
    expect(Object.values(EXIT)).toContain(exitCode);
    expect(exitCode).not.toBe(EXIT.ok);
    expect(EXIT_TYPES[exitCode]).toMatch(/^[a-z_]+$/);
  });

  it('distinguish denied, unreachable, tool error and usage', () => {
    const codes: ErrorCode[] = ['POLICY_DENIED', 'SERVER_UNREACHABLE', 'TOOL_ERROR', 'ARGUMENT_INVALID'];
    expect(codes.map(exitCodeOf)).toEqual([6, 4, 5, 2]);
  });
});
