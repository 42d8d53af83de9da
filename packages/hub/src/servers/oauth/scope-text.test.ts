import { describe, expect, it } from 'vitest';
import { scopesIn, scopeText } from './scope-text.ts';

describe('scopesIn', () => {
  it('takes words that are scopes, and nothing else', () => {
    expect(scopesIn('a "b" c\\d e\tf ü g')).toEqual(['a', 'g']);
    expect(scopesIn(undefined)).toEqual([]);
  });
});

describe('scopeText', () => {
  it('is what scopesIn reads, and nothing where there is none', () => {
    expect(scopesIn(scopeText(['read', 'write']))).toEqual(['read', 'write']);
    expect(scopeText([])).toBeUndefined();
  });
});
