import { describe, expect, it } from 'vitest';
import { configuredText } from './find.ts';

describe('a text of openclaw.json', () => {
  const env = { TOKEN: 'secret', EMPTY: '' };

  it.each([
    ['plain', { text: 'plain' }],
    ['${TOKEN}', { text: 'secret' }],
    ['a-${TOKEN}-b', { text: 'a-secret-b' }],
    ['$${TOKEN}', { text: '${TOKEN}' }],
    ['$TOKEN ${lower}', { text: '$TOKEN ${lower}' }],
    ['', undefined],
    [undefined, undefined],
    [{ source: 'env', provider: 'default', id: 'TOKEN' }, { text: 'secret' }],
  ])('%j is %j', (value, expected) => {
    expect(configuredText(value, env)).toEqual(expected);
  });

  it.each(['${ABSENT}', '${EMPTY}', { source: 'env', id: 'ABSENT' }])(
    'a variable that is not there is named: %j',
    (value) => {
      expect(configuredText(value, env)).toEqual({ missing: expect.stringMatching(/ABSENT|EMPTY/) });
    },
  );

  it('a secret that only OpenClaw can read is no text', () => {
    expect(configuredText({ source: 'exec', id: 'x' }, env)).toEqual({
      missing: expect.stringContaining('exec'),
    });
  });
});
