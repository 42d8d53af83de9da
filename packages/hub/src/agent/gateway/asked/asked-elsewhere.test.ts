import { describe, expect, it } from 'vitest';
import { isAmong } from './asked-elsewhere.ts';

describe('somebody else is asked', () => {
  const admin = { scopes: ['operator.read', 'operator.admin'], reason: 'connect' };

  it.each([
    [{ ...admin, clientId: 'openclaw-control-ui' }, true, true],
    [{ ...admin, clientId: 'openclaw-macos' }, true, false],
    [{ ...admin, clientId: 'openclaw-tui' }, false, true],
    [{ ...admin, clientId: 'webchat' }, false, false],
    [{ ...admin, clientId: 'openclaw-control-ui', reason: 'disconnect' }, false, false],
    [{ ...admin, clientId: 'openclaw-control-ui', scopes: ['operator.approvals'] }, false, false],
    [{ mode: 'gateway', reason: 'self' }, false, false],
  ])('where %j is there: about commands %s, about plugins %s', (entry, ofCommands, ofPlugins) => {
    expect(isAmong([{}, entry], 'exec')).toBe(ofCommands);
    expect(isAmong([{}, entry], 'plugin')).toBe(ofPlugins);
    expect(isAmong(undefined, 'exec')).toBe(false);
  });
});

describe('somebody else is shown a question', () => {
  const scopes = ['operator.admin'];
  it.each([
    [{ clientId: 'openclaw-control-ui', scopes }, true],
    [{ clientId: 'openclaw-ios', scopes: ['operator.questions'] }, true],
    [{ clientId: 'openclaw-ios', scopes: ['operator.read'] }, false],
    [{ clientId: 'openclaw-tui', scopes }, false],
    [{ clientId: 'openclaw-control-ui', scopes, reason: 'disconnect' }, false],
  ])('where %j is there: %s', (entry, isShown) => {
    expect(isAmong([entry], 'question')).toBe(isShown);
  });
});
