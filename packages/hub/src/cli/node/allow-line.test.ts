import { expect, it } from 'vitest';
import { allowLines, policyIn } from './allow-line.ts';

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
