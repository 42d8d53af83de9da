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
])('matches a request by run id, or else by conversation: %s %s %s', (...names) => {
  const [runId, sessionKey, isIt] = names;
  expect(isAskedBy(run, { runId, sessionKey })).toBe(isIt);
});

describe('isAmong for approvals', () => {
  const admin = { scopes: ['operator.read', 'operator.admin'], reason: 'connect' };

  it.each([
    [{ ...admin, clientId: 'openclaw-control-ui' }, true, true],
    [{ ...admin, clientId: 'openclaw-macos' }, true, false],
    [{ ...admin, clientId: 'openclaw-tui' }, false, true],
    [{ ...admin, clientId: 'webchat' }, false, false],
    [{ ...admin, clientId: 'openclaw-control-ui', reason: 'disconnect' }, false, false],
    [{ ...admin, clientId: 'openclaw-control-ui', scopes: ['operator.approvals'] }, false, false],
    [{ mode: 'gateway', reason: 'self' }, false, false],
  ])('with %j present: commands %s, plugins %s', (entry, ofCommands, ofPlugins) => {
    expect(isAmong([{}, entry], 'exec')).toBe(ofCommands);
    expect(isAmong([{}, entry], 'plugin')).toBe(ofPlugins);
    expect(isAmong(undefined, 'exec')).toBe(false);
  });
});

describe('isAmong for questions', () => {
  const scopes = ['operator.admin'];
  it.each([
    [{ clientId: 'openclaw-control-ui', scopes }, true],
    [{ clientId: 'openclaw-ios', scopes: ['operator.questions'] }, true],
    [{ clientId: 'openclaw-ios', scopes: ['operator.read'] }, false],
    [{ clientId: 'openclaw-tui', scopes }, false],
    [{ clientId: 'openclaw-control-ui', scopes, reason: 'disconnect' }, false],
  ])('with %j present: %s', (entry, isShown) => {
    expect(isAmong([entry], 'question')).toBe(isShown);
  });
});
