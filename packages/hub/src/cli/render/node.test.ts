import { expect, it } from 'vitest';
import { commandStates } from '../node/command-states.ts';
import type { OperatorView } from '../node/operator-look.ts';
import { PLAIN } from '../terminal/style.ts';
import { renderPaired } from './node.ts';

const node = {
  is: 'connected',
  since: 0,
  gateway: 'ws://127.0.0.1:1',
  version: '2026.9.6',
  commands: { declared: ['a', 'b', 'c'], usable: ['a'] },
} as const;

const rendered = (operator: OperatorView | undefined): string[] => {
  const states = commandStates(node, operator);
  const { policy, requestId } = operator ?? {};
  return renderPaired({ node, states, policy, requestId }, PLAIN).split('\n');
};

it('tells what awaits approval from what the settings block, and what to do about each', () => {
  const policy = { allow: ['x.y'], deny: [] };
  const lines = rendered({ requestId: 'r-1', commands: ['a'], waiting: ['a', 'b'], policy });
  expect(lines.slice(0, 4)).toEqual([
    'A node of ws://127.0.0.1:1 (OpenClaw 2026.9.6).',
    '  ✓ a  allowed',
    '  … b  awaits approval',
    '  ✗ c  blocked',
  ]);
  expect(lines).toContain('  openclaw nodes approve r-1');
  expect(lines).toContain(`  openclaw config set gateway.nodes.commands.allow '["x.y","c"]'`);
});

it('says nothing of approvals where all are given', () => {
  const policy = { allow: [], deny: [] };
  const text = rendered({ requestId: undefined, commands: ['a', 'b', 'c'], waiting: [], policy }).join('\n');
  expect(text).toContain('✗ b  blocked');
  expect(text).not.toContain('openclaw nodes');
});

it('does not claim to know which it is where only the gateway’s people are told', () => {
  const lines = rendered(undefined);
  expect(lines).toContain('  ✗ b  blocked, or awaits approval');
  expect(lines).toContain('  openclaw nodes pending');
  expect(lines.join('\n')).toContain('--expect-current-absent');
});
