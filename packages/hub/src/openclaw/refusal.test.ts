import { describe, expect, it } from 'vitest';
import { connectRefused, requestRefused } from './refusal.ts';
import { verifies } from '../../../../test/verifies.ts';

describe('a gateway that says no', () => {
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
  ])('to being let in: %j', (refusal, code, hint) => {
    verifies('000-history-auth-guidance');
    const error = connectRefused({ message: 'no', ...refusal }, 'gateway.port');
    expect(error).toMatchObject({ code, hint: expect.stringContaining(hint) });
  });

  it('for want of a right names it', () => {
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

  it('to a request is an error of the tool', () => {
    const refusal = { code: 'INVALID_REQUEST', message: 'message or attachment required' };
    expect(requestRefused('chat.send', refusal)).toMatchObject({
      code: 'TOOL_ERROR',
      message: 'OpenClaw refused: message or attachment required.',
    });
  });

  it.each([undefined, null, 'no', 7, [], {}, { code: 5, message: '' }])(
    'without a word why is no part of its protocol: %j',
    (error) => {
      for (const refused of [connectRefused(error, 'gateway.port'), requestRefused('chat.send', error)])
        expect(refused).toMatchObject({
          code: 'SERVER_PROTOCOL',
          message: expect.stringMatching(/did not say why\.$/),
        });
    },
  );

  it.each([
    ['gateway starting', 'gateway starting.'],
    ['Not now.', 'Not now.'],
  ])('is heard in a whole sentence: %j', (message, said) => {
    const refusal = { code: 'UNAVAILABLE', message };
    expect(connectRefused(refusal, 'gateway.port').message).toBe(
      `The gateway of OpenClaw did not let us in: ${said}`,
    );
    expect(requestRefused('chat.send', refusal).message).toBe(`OpenClaw refused: ${said}`);
  });

  it('by a code alone is heard', () => {
    expect(requestRefused('chat.send', { code: 'X', details: 'y' }).message).toBe('OpenClaw refused: X.');
  });
});
