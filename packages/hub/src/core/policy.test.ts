import { describe, expect, it } from 'vitest';
import type { Caller, ScopedTool } from './caller.ts';
import {
  createPolicy,
  decisionFor,
  isGuarded,
  policyDenied,
  type Decision,
  type PolicyRules,
} from './policy.ts';
import { verifies } from '../../../../test/verifies.ts';

const caller: Caller = { id: 'c', name: 'c', scopes: {} };
const decide = (rules: PolicyRules, server: string, name: string): Decision => {
  const tool: ScopedTool = { server, name, readOnly: false };
  return createPolicy(rules).decide(caller, tool);
};

describe('createPolicy', () => {
  it('allows a call without a matching rule', () => {
    verifies('004-17-write-default');
    expect(decide({}, 's', 't')).toBe('allow');
    expect(decide({ servers: {} }, 's', 't')).toBe('allow');
    expect(decide({ servers: { other: { '*': 'deny' } } }, 's', 't')).toBe('allow');
  });

  it.each<[PolicyRules, Decision]>([
    [{ default: 'deny' }, 'deny'],
    [{ default: 'deny', servers: { s: { '*': 'ask' } } }, 'ask'],
    [{ default: 'deny', servers: { s: { t: 'allow' } } }, 'allow'],
    [{ default: 'allow', servers: { s: { '*': 'allow', t: 'deny' } } }, 'deny'],
    [{ default: 'allow', servers: { s: { t: 'ask', '*': 'deny' } } }, 'ask'],
    [{ default: 'ask', servers: { s: { other: 'deny' } } }, 'ask'],
    [{ servers: { s: { 't*': 'deny', T: 'deny' } } }, 'allow'],
  ])('the narrowest rule wins: %j → %s', (rules, expected) => {
    verifies('004-17-approval');
    expect(decide(rules, 's', 't')).toBe(expected);
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'])(
    'ignores inherited object properties: %s',
    (name) => {
      expect(decide({ default: 'deny', servers: { s: {} } }, 's', name)).toBe('deny');
      expect(decide({ default: 'deny', servers: {} }, name, 't')).toBe('deny');
      expect(decide({ default: 'deny', servers: {} }, name, name)).toBe('deny');
      expect(decide({ servers: { s: { '*': 'ask' } } }, 's', name)).toBe('ask');
    },
  );

  it.each(['__proto__', 'constructor', 'toString'])(
    'applies a rule for a tool or server named %s',
    (name) => {
      const rules = JSON.parse(`{"s":{"${name}":"deny"},"${name}":{"*":"ask"}}`) as NonNullable<
        PolicyRules['servers']
      >;
      expect(decide({ servers: rules }, 's', name)).toBe('deny');
      expect(decide({ servers: rules }, name, 't')).toBe('ask');
      expect(decide({ servers: rules }, 's', 't')).toBe('allow');
    },
  );
});

describe('the decision `ask`', () => {
  it.each([
    ['tools/call', 'ask'],
    ['prompts/get', 'ask'],
    ['resources/read', 'ask'],
    ['resources/subscribe', 'ask'],
    ['resources/unsubscribe', 'allow'],
    ['tasks/get', 'allow'],
    ['tasks/cancel', 'allow'],
    ['completion/complete', 'deny'],
    ['something/new', 'deny'],
  ])('becomes, for %s, %s; allow and deny stay', (method, expected) => {
    expect(decisionFor(method, 'ask')).toBe(expected);
    expect(decisionFor(method, 'allow')).toBe('allow');
    expect(decisionFor(method, 'deny')).toBe('deny');
  });
});

describe('a refusal', () => {
  const tool: ScopedTool = { server: 's', name: 't\u202e', readOnly: false };

  it('names what was denied and the setting to change, in one line', () => {
    expect(policyDenied('tools/call', tool)).toMatchObject({
      code: 'POLICY_DENIED',
      message: 'Policy denies s.t\\u202e. It was not run.',
      hint: 'Change "policy" for s.t\\u202e in the configuration.',
    });
    expect(policyDenied('tools/call', { ...tool, server: 'device', name: 'device.info' }).hint).toBe(
      'Change device.policy."device.info" in the configuration.',
    );
    expect(policyDenied('resources/read', { ...tool, name: '' }).message).toBe(
      'Policy denies resources/read at s. It was not run.',
    );
    expect(policyDenied('tools/call', tool, 'no-approver').message).toContain('no person can be asked here');
  });
});

describe('a server', () => {
  it.each<[PolicyRules, boolean]>([
    [{}, false],
    [{ default: 'allow', servers: { s: { t: 'allow' } } }, false],
    [{ default: 'ask' }, true],
    [{ default: 'deny', servers: { s: { '*': 'allow' } } }, false],
    [{ default: 'deny', servers: { s: { t: 'allow' } } }, true],
    [{ servers: { s: { '*': 'allow', t: 'ask' } } }, true],
    [{ servers: { s: { t: 'deny' } } }, true],
    [{ servers: { other: { '*': 'ask' } } }, false],
  ])('is guarded if a rule asks or denies: %j → %s', (rules, expected) => {
    expect(isGuarded(rules, 's')).toBe(expected);
  });

  it('is not guarded by inherited object properties', () => {
    expect(isGuarded({ servers: {} }, 'constructor')).toBe(false);
  });
});
