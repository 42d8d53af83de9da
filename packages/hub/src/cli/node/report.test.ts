import { expect, it } from 'vitest';
import { commandStates, renderPaired, allowLines, policyIn } from './report.ts';
import type { OperatorView } from './follow.ts';
import { PLAIN } from '../terminal/style.ts';

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

const policy = (allow: unknown[], deny: unknown[] = []): ReturnType<typeof policyIn> =>
  policyIn({ gateway: { nodes: { commands: { allow, deny } } } });

it('names the setting with all that it is to hold, and what it holds already', () => {
  expect(allowLines(['tts.speak'], policyIn({}))).toEqual([
    `  openclaw config set gateway.nodes.commands.allow '["tts.speak"]'`,
  ]);
  expect(allowLines(['tts.speak', 'canvas.eval'], policy(['a.b', 7, 'tts.speak']))).toEqual([
    `  openclaw config set gateway.nodes.commands.allow '["a.b","tts.speak","canvas.eval"]'`,
  ]);
});

it('takes a command out of those that are denied, and no other', () => {
  expect(allowLines(['tts.speak'], policy(['a.b'], ['tts.speak', 'c.d']))).toEqual([
    `  openclaw config set gateway.nodes.commands.allow '["a.b","tts.speak"]'`,
    `  openclaw config set gateway.nodes.commands.deny '["c.d"]'`,
  ]);
});

it('changes nothing where a list that cannot be read here is there already', () => {
  expect(allowLines(['tts.speak'], undefined)).toEqual([
    `  openclaw config set gateway.nodes.commands.allow '["tts.speak"]' --expect-current-absent`,
    expect.stringContaining('openclaw config get gateway.nodes.commands.allow'),
  ]);
});
