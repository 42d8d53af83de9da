import { expect, it } from 'vitest';
import { refusalOf } from './agent-rule.ts';

it('a server without a rule is for every agent, also for one that nobody knows', () => {
  expect(refusalOf('s', undefined, 'main')).toBeUndefined();
  expect(refusalOf('s', undefined, undefined)).toBeUndefined();
});

it('one with a rule is for the agents that it names, and they are told what they can do otherwise', () => {
  expect(refusalOf('s', ['main', 'Work'], 'work')).toBeUndefined();
  expect(refusalOf('s', ['main'], 'other')).toBe(
    'The agent "other" may not use the MCP server "s". The tool was not run; do not call it again. ' +
      'The owner can change that: "agents" of the server, in Pincer\'s configuration.',
  );
});

it('nobody may use a server that is for no agent, and none whose name is not known', () => {
  expect(refusalOf('s', [], 'main')).toContain('may not use');
  expect(refusalOf('s', ['main'], undefined)).toContain('does not say which agent this is');
});
