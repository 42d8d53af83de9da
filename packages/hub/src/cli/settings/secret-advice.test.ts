import { describe, expect, it } from 'vitest';
import { secretAdvice, secretNameFor } from './secret-advice.ts';

describe('advice about a secret in clear text', () => {
  it('names the secret after what it is', () => {
    expect(
      [
        'servers.docs.apiKey',
        'servers.a-b.headers.X-Api-Key',
        'servers.gh.env.GITHUB_TOKEN',
        'servers.x.args[3]',
      ].map(secretNameFor),
    ).toEqual(['DOCS_API_KEY', 'A_B_X_API_KEY', 'GITHUB_TOKEN', 'X_ARGS']);
  });

  it('is lines to copy', () => {
    expect(secretAdvice('servers.docs.apiKey')).toBe(
      `servers.docs.apiKey is a secret in clear text. Better:\n    pincer secret set DOCS_API_KEY\n    pincer set docs apiKey '$secret:DOCS_API_KEY'`,
    );
    expect(secretAdvice('servers.x.args[3]')).not.toContain('pincer set x');
  });
});
