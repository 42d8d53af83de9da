import { expect, it } from 'vitest';
import { allowLine } from './allow-line.ts';

it('names the setting with all that it is to hold, and what it holds already', () => {
  expect(allowLine(['tts.speak'], undefined)).toBe(
    `openclaw config set gateway.nodes.commands.allow '["tts.speak"]'`,
  );
  const config = { gateway: { nodes: { commands: { allow: ['a.b', 7, 'tts.speak'] } } } };
  expect(allowLine(['tts.speak', 'canvas.eval'], config)).toBe(
    `openclaw config set gateway.nodes.commands.allow '["a.b","tts.speak","canvas.eval"]'`,
  );
});
