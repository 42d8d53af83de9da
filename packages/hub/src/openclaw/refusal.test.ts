import { describe, expect, it } from 'vitest';
import { connectRefused, requestRefused } from './refusal.ts';
import { verifies } from '../../../../test/verifies.ts';

describe('refusal of a gateway', () => {
  it.each([
    [
      { code: 'NOT_PAIRED', details: { code: 'PAIRING_REQUIRED', requestId: 'r1' } },
      'SIGN_IN_NEEDED',
      'openclaw devices approve r1',
    ],
    [
      { code: 'INVALID_REQUEST', details: { code: 'AUTH_TOKEN_MISMATCH' } },
      'TOKEN_INVALID',
      'OPENCLAW_GATEWAY_TOKEN',
    ],
    [
      { code: 'INVALID_REQUEST', details: { code: 'DEVICE_AUTH_SIGNATURE_INVALID' } },
      'SIGN_IN_NEEDED',
      'clock',
    ],
    [
      { code: 'INVALID_REQUEST', details: { code: 'AUTH_DEVICE_TOKEN_MISMATCH' } },
      'SIGN_IN_NEEDED',
      'openclaw devices list',
    ],
    [
      { code: 'INVALID_REQUEST', details: { code: 'AUTH_SCOPE_MISMATCH' } },
      'SIGN_IN_NEEDED',
      'openclaw devices list',
    ],
    [{ code: 'INVALID_REQUEST', details: { code: 'PROTOCOL_MISMATCH' } }, 'SERVER_PROTOCOL', 'Update'],
    [{ code: 'UNAVAILABLE' }, 'SERVER_UNREACHABLE', 'openclaw gateway status'],
  ])('is explained for a connection: %j', (refusal, code, hint) => {
    verifies('000-history-auth-guidance');
    const error = connectRefused({ message: 'no', ...refusal }, 'gateway.port');
    expect(error).toMatchObject({ code, hint: expect.stringContaining(hint) });
  });

  it('names a missing scope', () => {
    const refusal = {
      code: 'FORBIDDEN',
      message: 'missing scope: operator.admin',
      details: { code: 'MISSING_SCOPE' },
    };
    expect(requestRefused('chat.send', refusal)).toMatchObject({
      code: 'SIGN_IN_NEEDED',
      hint: expect.stringContaining('operator.admin'),
    });
  });

  it('is a tool error for a request', () => {
    const refusal = { code: 'INVALID_REQUEST', message: 'message or attachment required' };
    expect(requestRefused('chat.send', refusal)).toMatchObject({
      code: 'TOOL_ERROR',
      message: 'OpenClaw refused: message or attachment required.',
    });
  });

  it.each([undefined, null, 'no', 7, [], {}, { code: 5, message: '' }])(
    'without a reason is a protocol error: %j',
    (error) => {
      for (const refused of [connectRefused(error, 'gateway.port'), requestRefused('chat.send', error)])
        expect(refused).toMatchObject({
          code: 'SERVER_PROTOCOL',
          message: expect.stringMatching(/without a reason\.$/),
        });
    },
  );

  it.each([
    ['gateway starting', 'gateway starting.'],
    ['Not now.', 'Not now.'],
  ])('becomes a whole sentence: %j', (message, sentence) => {
    const refusal = { code: 'UNAVAILABLE', message };
    expect(connectRefused(refusal, 'gateway.port').message).toBe(
      `The gateway of OpenClaw refused the connection: ${sentence}`,
    );
    expect(requestRefused('chat.send', refusal).message).toBe(`OpenClaw refused: ${sentence}`);
  });

  it('is shown with only a code', () => {
    expect(requestRefused('chat.send', { code: 'X', details: 'y' }).message).toBe('OpenClaw refused: X.');
  });
});
