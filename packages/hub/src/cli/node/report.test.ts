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

it('distinguishes commands that await approval from blocked ones, and says what to do', () => {
  const policy = { allow: ['x.y'], deny: [] };
  const lines = rendered({ requestId: 'r-1', commands: ['a'], waiting: ['a', 'b'], policy });
  expect(lines.slice(0, 4)).toEqual([
    'This machine is a node of ws://127.0.0.1:1 (OpenClaw 2026.9.6).',
    '  ✓ a  allowed',
    '  … b  awaits approval',
    '  ✗ c  blocked',
  ]);
  expect(lines).toContain('  openclaw nodes approve r-1');
  expect(lines).toContain(`  openclaw config set gateway.nodes.commands.allow '["x.y","c"]'`);
});

it('does not mention approvals if all are given', () => {
  const policy = { allow: [], deny: [] };
  const text = rendered({ requestId: undefined, commands: ['a', 'b', 'c'], waiting: [], policy }).join('\n');
  expect(text).toContain('✗ b  blocked');
  expect(text).not.toContain('openclaw nodes');
});

it('says "blocked, or awaits approval" without the operator’s token', () => {
  const lines = rendered(undefined);
  expect(lines).toContain('  ✗ b  blocked, or awaits approval');
  expect(lines).toContain('  openclaw nodes pending');
  expect(lines.join('\n')).toContain('--expect-current-absent');
});

const policy = (allow: unknown[], deny: unknown[] = []): ReturnType<typeof policyIn> =>
  policyIn({ gateway: { nodes: { commands: { allow, deny } } } });

it('prints the setting with its current and its new commands', () => {
  expect(allowLines(['tts.speak'], policyIn({}))).toEqual([
    `  openclaw config set gateway.nodes.commands.allow '["tts.speak"]'`,
  ]);
  expect(allowLines(['tts.speak', 'canvas.eval'], policy(['a.b', 7, 'tts.speak']))).toEqual([
    `  openclaw config set gateway.nodes.commands.allow '["a.b","tts.speak","canvas.eval"]'`,
  ]);
});

it('removes only these commands from the denied ones', () => {
  expect(allowLines(['tts.speak'], policy(['a.b'], ['tts.speak', 'c.d']))).toEqual([
    `  openclaw config set gateway.nodes.commands.allow '["a.b","tts.speak"]'`,
    `  openclaw config set gateway.nodes.commands.deny '["c.d"]'`,
  ]);
});

it('does not overwrite a list that cannot be read here', () => {
  expect(allowLines(['tts.speak'], undefined)).toEqual([
    `  openclaw config set gateway.nodes.commands.allow '["tts.speak"]' --expect-current-absent`,
    expect.stringContaining('openclaw config get gateway.nodes.commands.allow'),
  ]);
});
