import { describe, expect, it } from 'vitest';
import { visible, visibleBlock } from './visible.ts';

describe('visible', () => {
  it('shows what a terminal would obey', () => {
    expect(visible('a\u001b[2J\nb\u009b\u202e')).toBe(String.raw`a\u001b[2J\u000ab\u009b\u202e`);
    expect(visibleBlock('a\r\n\tb\u001b\u2066\r')).toBe('a\n\tb\\u001b\\u2066\\u000d');
    expect(visible('héllo – 世界 🦀')).toBe('héllo – 世界 🦀');
  });
});
