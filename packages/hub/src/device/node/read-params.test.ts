import { describe, expect, it } from 'vitest';
import { readParams } from './invoke.ts';

const plan = {
  argv: ['/bin/sh', '-lc', 'date'],
  cwd: '/tmp',
  commandText: 'x',
  agentId: 'main',
  sessionKey: 's',
};
const run = {
  command: plan.argv,
  rawCommand: 'date',
  cwd: '/tmp',
  timeoutMs: 5,
  agentId: 'main',
  sessionKey: 's',
  runId: 'r',
  systemRunPlan: plan,
  suppressNotifyOnExit: true,
};
const read = (params: object, command = 'system.run') =>
  readParams(command, JSON.stringify(params), undefined);

describe('the parameters of system.run', () => {
  it('reach it without what the gateway says of the run, which is its own word', () => {
    const given = read({ ...run, approved: true, approvalDecision: 'allow-always' });
    expect(given).toEqual({
      arguments: JSON.stringify({ command: plan.argv, rawCommand: 'date', cwd: '/tmp', timeoutMs: 5 }),
      word: { agent: 'main', session: 's', approved: 'allow-always' },
    });
  });

  it('are approved where a person has said so, and not by a model or by nobody', () => {
    const word = (params: object) => read({ ...run, ...params });
    expect(word({ approved: true })).toMatchObject({ word: { approved: 'allow-once' } });
    expect(word({ approved: true, approvalDecision: 'allow-once' })).toMatchObject({
      word: { approved: 'allow-once' },
    });
    for (const params of [
      {},
      { approved: false },
      { approvalSource: 'auto-review' },
      { approvalSource: 'ask-fallback' },
      { approved: true, approvalSource: 'auto-review' },
      { approved: true, approvalSource: 'ask-fallback' },
      { approved: true, approvalDecision: 'allow-once', approvalSource: 'auto-review' },
      { approvalDecision: 'deny' },
      { approved: true, approvalDecision: 'deny' },
      { approved: false, approvalDecision: 'deny' },
      { approved: false, approvalDecision: 'allow-once' },
      { approved: true, approvalDecision: null },
      { approved: 'true' },
    ])
      expect(word(params)).toMatchObject({ word: { approved: undefined } });
  });

  it.each([
    ['other words', { command: ['/bin/sh', '-lc', 'rm x'] }],
    ['another place', { cwd: '/' }],
    ['another agent', { agentId: 'other' }],
    ['another conversation', { sessionKey: 'other' }],
    ['no plan', { systemRunPlan: undefined }],
  ])('that were approved with %s are refused', (_, changed) => {
    expect(read({ ...run, ...changed, approved: true })).toEqual({
      mistake: 'explicit approval requires matching systemRunPlan',
    });
  });
});

describe('the parameters of other commands', () => {
  it('are arguments as they came, whatever they are called', () => {
    const json = '{"n": 99999999999999999999, "approved": true, "sessionKey": "mine"}';
    expect(readParams('canvas.eval', json, 'theirs')).toEqual({
      arguments: json,
      word: { session: 'theirs' },
    });
  });

  it('of what prepares a run say for whom, and stay', () => {
    expect(read({ command: ['a'], agentId: 'main', sessionKey: 's' }, 'system.run.prepare')).toEqual({
      arguments: JSON.stringify({ command: ['a'], agentId: 'main', sessionKey: 's' }),
      word: { agent: 'main', session: 's' },
    });
  });

  it('that are none are empty, and what is no object is a mistake', () => {
    expect(readParams('a', 'null', undefined)).toMatchObject({ arguments: '{}' });
    for (const json of ['[]', '7', '"x"', '{', '{"a":1,"a":2}'])
      expect(readParams('a', json, undefined)).toHaveProperty('mistake');
  });
});
