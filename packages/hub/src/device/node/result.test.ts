import { describe, expect, it } from 'vitest';
import { PincerError } from '../../core/errors.ts';
import type { Outcome } from '../../core/outcome.ts';
import { jsonBytes, toByteText } from '../../core/wire/byte-text.ts';
import { resultOf } from './result.ts';

const answered = (kind: 'ok' | 'tool_error', result: object): Outcome => ({
  kind,
  result: jsonBytes(result),
  era: 'legacy',
  extra: '',
});
const text = (said: string): object => ({ content: [{ type: 'text', text: said }], isError: true });

describe('what a node answers', () => {
  it('is the documented payload of a command, as the bytes that it is', () => {
    const result = '{"content":[],"structuredContent":{"n":99999999999999999999,"ü":1}}';
    const outcome: Outcome = { kind: 'ok', result: toByteText(result), era: 'legacy', extra: '' };
    expect(resultOf(outcome, 'a.b')).toEqual({ ok: true, payloadJSON: '{"n":99999999999999999999,"ü":1}' });
  });

  it('is the whole result of a tool, whatever became of it', () => {
    const failed = text('no');
    expect(resultOf(answered('tool_error', failed), 'mcp.tools.call.v1')).toEqual({
      ok: true,
      payloadJSON: JSON.stringify(failed),
    });
  });

  it.each([
    ['Screen capture not available', 'UNAVAILABLE'],
    ['CAMERA_DISABLED: switch it on', 'CAMERA_DISABLED'],
    ['LOCATION_PERMISSION_REQUIRED', 'LOCATION_PERMISSION_REQUIRED'],
  ])('says why a command failed: %s', (message, code) => {
    expect(resultOf(answered('tool_error', text(message)), 'a.b')).toEqual({
      ok: false,
      error: { code, message },
    });
  });

  it('has the code that the command itself gave', () => {
    const result = { ...text('no'), _meta: { 'pincer/code': 'SCREEN_UNAVAILABLE' } };
    expect(resultOf(answered('tool_error', result), 'a.b')).toMatchObject({
      error: { code: 'SCREEN_UNAVAILABLE' },
    });
  });

  it('says of a run that it certainly did not happen, or that nobody knows', () => {
    const reason = new PincerError('APPROVAL_PENDING', 'It waits.', { hint: 'Allow it.' });
    expect(resultOf({ kind: 'not_executed', reason }, 'system.run')).toEqual({
      ok: false,
      error: { code: 'SYSTEM_RUN_DENIED', message: 'It waits. Allow it.' },
    });
    expect(resultOf({ kind: 'not_executed', reason }, 'a.b')).toMatchObject({
      error: { code: 'APPROVAL_PENDING' },
    });
    const lost = new PincerError('CALL_CANCELLED', 'Gone.');
    expect(resultOf({ kind: 'outcome_unknown', reason: lost }, 'system.run')).toMatchObject({
      error: { code: 'ABORTED' },
    });
  });
});
