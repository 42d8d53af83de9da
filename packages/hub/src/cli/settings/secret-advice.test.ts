import { describe, expect, it } from 'vitest';
import { secretAdvice } from './report-change.ts';

describe('advice about a secret in clear text', () => {
  it('lists commands to copy', () => {
    expect(secretAdvice('servers.docs.apiKey')).toBe(
      `servers.docs.apiKey is a secret in clear text. Move it to the vault:\n    pincer secret set DOCS_API_KEY\n    pincer set docs apiKey '$secret:DOCS_API_KEY'`,
    );
    expect(secretAdvice('servers.x.args[3]')).not.toContain('pincer set x');
  });
});
