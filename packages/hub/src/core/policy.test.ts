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

const caller: Caller = { id: 'c', name: 'c', scopes: {} };
const decide = (rules: PolicyRules, server: string, name: string): Decision => {
  const tool: ScopedTool = { server, name, readOnly: false };
  return createPolicy(rules).decide(caller, tool);
};

describe('createPolicy', () => {
  it('allows what nothing is said about', () => {
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
    expect(decide(rules, 's', 't')).toBe(expected);
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'])(
    'takes nothing that every object inherits for a rule: %s',
    (name) => {
      expect(decide({ default: 'deny', servers: { s: {} } }, 's', name)).toBe('deny');
      expect(decide({ default: 'deny', servers: {} }, name, 't')).toBe('deny');
      expect(decide({ default: 'deny', servers: {} }, name, name)).toBe('deny');
      expect(decide({ servers: { s: { '*': 'ask' } } }, 's', name)).toBe('ask');
    },
  );

  it.each(['__proto__', 'constructor', 'toString'])('knows a rule for a tool or server named %s', (name) => {
    const rules = JSON.parse(`{"s":{"${name}":"deny"},"${name}":{"*":"ask"}}`) as NonNullable<
      PolicyRules['servers']
    >;
    expect(decide({ servers: rules }, 's', name)).toBe('deny');
    expect(decide({ servers: rules }, name, 't')).toBe('ask');
    expect(decide({ servers: rules }, 's', 't')).toBe('allow');
  });
});

describe('what `ask` means', () => {
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
  ])('for %s is %s; what is allowed or denied stays so', (method, expected) => {
    expect(decisionFor(method, 'ask')).toBe(expected);
    expect(decisionFor(method, 'allow')).toBe('allow');
    expect(decisionFor(method, 'deny')).toBe('deny');
  });
});

describe('a refusal', () => {
  const tool: ScopedTool = { server: 's', name: 't\u202e', readOnly: false };

  it('says what was denied, in one line, and where that can be changed', () => {
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
    expect(policyDenied('tools/call', tool, 'nobody').message).toContain('nobody can be asked');
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
  ])('is guarded where something of it is asked about or refused: %j → %s', (rules, expected) => {
    expect(isGuarded(rules, 's')).toBe(expected);
  });

  it('is not guarded by what every object inherits', () => {
    expect(isGuarded({ servers: {} }, 'constructor')).toBe(false);
  });
});
