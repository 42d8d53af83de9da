import { describe, expect, it } from 'vitest';
import { isAmong, isAskedBy } from './follow-asked.ts';

const run = { runId: 'r1', sessionKey: () => 'agent:main:mcp:a:b' };

it.each([
  ['r1', 'agent:main:mcp:a:b', true],
  ['r1', undefined, true],
  ['r2', 'agent:main:mcp:a:b', false],
  [undefined, 'agent:main:mcp:a:b', true],
  [undefined, 'agent:other:mcp:a:b', false],
  [undefined, undefined, false],
])('what is asked is of the run that it names, or else of its conversation: %s %s %s', (...names) => {
  const [runId, sessionKey, isIt] = names;
  expect(isAskedBy(run, { runId, sessionKey })).toBe(isIt);
});

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
