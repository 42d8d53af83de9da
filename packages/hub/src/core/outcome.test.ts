import { describe, expect, it } from 'vitest';
import { PincerError } from './errors.ts';
import { notExecuted, OUTCOME_KINDS, outcomeUnknown } from './outcome.ts';

describe('outcome', () => {
  const reason = new PincerError('SERVER_GONE', 'Gone.');

  it('is one of four', () => {
    expect(OUTCOME_KINDS).toEqual(['ok', 'tool_error', 'not_executed', 'outcome_unknown']);
  });

  it('carries the reason if the call ended without an answer', () => {
    expect(notExecuted(reason)).toEqual({ kind: 'not_executed', reason });
    expect(outcomeUnknown(reason)).toEqual({ kind: 'outcome_unknown', reason });
  });
});
