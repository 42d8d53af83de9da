import { describe, expect, test } from 'vitest';
import { policyOf } from '../../../../../test/kit/exec-requests.ts';
import { loosened } from './remote-change.ts';

const change = (before: object, after: object) => loosened(policyOf(before), policyOf(after));
const defaults = (settings: object) => ({ defaults: settings });
const list = (...allowlist: object[]) => ({ agents: { main: { allowlist } } });
const LS = { pattern: '/usr/bin/ls' };

describe('a change that is stricter or equal is allowed', () => {
  test.each<[object, object]>([
    [{}, {}],
    [defaults({ security: 'full' }), defaults({ security: 'allowlist' })],
    [defaults({ security: 'full' }), {}],
    [{}, defaults({ security: 'deny' })],
    [{}, defaults({ ask: 'always' })],
    [defaults({ security: 'full', ask: 'off' }), defaults({ security: 'full', ask: 'always' })],
    [{}, defaults({ ask: 'deny' })],
    [defaults({ askFallback: 'full' }), {}],
    [list(LS), list()],
    [list(LS), {}],
    [list({ ...LS, id: '1', lastUsedAt: 1 }), list({ ...LS, id: '2', lastUsedAt: 2 })],
    [{}, { agents: { work: { security: 'deny' } } }],
  ])('%j becomes %j', (before, after) => expect(change(before, after)).toBeUndefined());
});

const SECURITY = (scope: string, member = 'security') =>
  `Remote exec approval updates cannot make ${member} less restrictive for ${scope}.`;
const ENTRIES = (agent: string) =>
  `Remote exec approval updates cannot add or change allowlist entries for agent '${agent}'.`;

describe('a change that is less strict is refused', () => {
  test.each<[object, object, string]>([
    [{}, defaults({ security: 'full' }), SECURITY('defaults')],
    [defaults({ security: 'deny' }), {}, SECURITY('defaults')],
    [{}, { agents: { main: { security: 'full' } } }, SECURITY("agent 'main'")],
    [{}, { agents: { new: { security: 'full' } } }, SECURITY("agent 'new'")],
    [{ agents: { work: { security: 'deny' } } }, {}, SECURITY("agent 'work'")],
    [{ agents: { '*': { security: 'deny' } } }, {}, SECURITY('defaults')],
    [defaults({ ask: 'always' }), {}, SECURITY('defaults', 'ask')],
    [defaults({ ask: 'deny' }), defaults({ ask: 'always' }), SECURITY('defaults', 'ask')],
    // With `off` no person is asked. With a question, a person could approve.
    [defaults({ ask: 'off' }), defaults({ ask: 'on-miss' }), SECURITY('defaults', 'ask')],
    [defaults({ ask: 'off' }), defaults({ ask: 'always' }), SECURITY('defaults', 'ask')],
    [
      defaults({ security: 'full', ask: 'always' }),
      defaults({ security: 'allowlist', ask: 'on-miss' }),
      SECURITY('defaults', 'ask'),
    ],
    [{}, defaults({ askFallback: 'full' }), SECURITY('defaults', 'askFallback')],
    [{}, defaults({ autoAllowSkills: true }), SECURITY('defaults', 'autoAllowSkills')],
    [{}, list(LS), ENTRIES('main')],
    [list(LS), list({ ...LS, argPattern: 'x' }), ENTRIES('main')],
    [list({ ...LS, argPattern: 'x' }), list(LS), ENTRIES('main')],
    [list({ ...LS, source: 'allow-always' }), list(LS), ENTRIES('main')],
    [list(LS), { agents: { '*': { allowlist: [LS] } } }, ENTRIES('*')],
    [list(LS), { agents: { other: { allowlist: [LS] } } }, ENTRIES('other')],
  ])('%j becomes %j: %s', (before, after, text) => expect(change(before, after)).toBe(text));
});
