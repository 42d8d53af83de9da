import { describe, expect, it } from 'vitest';
import { assertScopes, unknownScopes } from './token.ts';

describe('the scopes of a token', () => {
  it.each([
    [{ servers: ['device.screen.snapshot'] }, 'For one tool: --tool device.screen.snapshot'],
    [{ servers: ['a b'] }, 'List the servers: pincer list'],
    [{ tools: ['device'] }, 'All tools of a server: --server device'],
  ])('refuse a name that cannot exist: %j', (scopes, hint) => {
    expect(() => assertScopes(scopes)).toThrow(expect.objectContaining({ code: 'USAGE', hint }));
  });

  it('may name servers that do not exist yet', () => {
    const scopes = { servers: ['docs', 'later'], tools: ['docs.read_*', 'soon.x', '*'] };
    expect(() => assertScopes(scopes)).not.toThrow();
    expect(unknownScopes(scopes, ['docs'])).toEqual(['later', 'soon']);
  });
});
