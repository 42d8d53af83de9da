import { describe, expect, it } from 'vitest';
import { secretAdvice } from './report-change.ts';

describe('advice about a secret in clear text', () => {
  it('is lines to copy', () => {
    expect(secretAdvice('servers.docs.apiKey')).toBe(
      `servers.docs.apiKey is a secret in clear text. Better:\n    pincer secret set DOCS_API_KEY\n    pincer set docs apiKey '$secret:DOCS_API_KEY'`,
    );
    expect(secretAdvice('servers.x.args[3]')).not.toContain('pincer set x');
  });
});
