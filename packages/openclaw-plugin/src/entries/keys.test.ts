import { describe, expect, it } from 'vitest';
import { chooseKeys } from './keys.ts';

const keysOf = (servers: readonly [string, string][], ofOthers: readonly string[] = []): string[] => [
  ...chooseKeys(
    servers.map(([server, prefix]) => ({ server, prefix })),
    ofOthers,
  ).values(),
];

describe('the key of a server', () => {
  it('is its prefix, or its name where it has none', () => {
    expect(
      keysOf([
        ['github', 'gh'],
        ['files', ''],
      ]),
    ).toEqual(['gh', 'files']);
  });

  it('begins with a letter, since the host would put one before it', () => {
    expect(keysOf([['7zip', '7zip']])).toEqual(['mcp-7zip']);
  });

  it('is another one where somebody has it, whatever the case, and no longer than 30 characters', () => {
    const long = 'a-name-of-thirty-characters-xx';
    expect(
      keysOf(
        [
          ['Files', 'Files'],
          [long, long],
        ],
        ['files', long],
      ),
    ).toEqual(['Files-pincer', 'a-name-of-thirty-charac-pincer']);
  });

  it('is one with a hash of the server where that is taken too, the same every time', () => {
    const [key] = keysOf([['files', 'files']], ['files', 'files-pincer']);
    expect(key).toMatch(/^files-[0-9a-f]{8}$/);
    expect(keysOf([['files', 'files']], ['FILES-PINCER', 'Files', 'other'])).toEqual([key]);
    expect(keysOf([['files', 'files']], ['files', 'files-pincer', key!])).not.toEqual([key]);
  });

  it('differs from that of every other server, in more than the case', () => {
    expect(
      keysOf([
        ['a', 'x'],
        ['b', 'X'],
      ]),
    ).toEqual(['x', 'X-pincer']);
  });
});
