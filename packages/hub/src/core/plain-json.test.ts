import { expect, it } from 'vitest';
import { plainJson } from './plain-json.ts';

it('escapes every character that a terminal obeys or hides', () => {
  const value = {
    a: 'x\u009b2J\u202e\u2066\u007f\u{e0041}\u200b\ufeff',
    b: ['é', '日本', '🦀'],
    c: '\ud800',
  };
  for (const indent of [undefined, 2]) {
    const text = plainJson(JSON.stringify(value, undefined, indent));
    expect(JSON.parse(text)).toEqual(value);
    expect(text).toContain(String.raw`x\u009b2J\u202e\u2066\u007f\udb40\udc41\u200b\ufeff`);
    expect(text).toContain('🦀');
  }
});
