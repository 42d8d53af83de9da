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

  it('does not end with what separates it from the name of a tool', () => {
    const long = `7${'a'.repeat(24)}_bcde`;
    expect(keysOf([[long, long]])).toEqual([`mcp-7${'a'.repeat(24)}`]);
  });

  it('is another one where the host would make the same of somebody else, and number one of them', () => {
    const long = 'a-name-of-thirty-characters-xx';
    const servers: [string, string][] = [
      ['my-files', 'my-files'],
      ['mcp-7', 'mcp-7'],
      [long, long],
    ];
    expect(keysOf(servers, ['my.files', '7', `${long}-and-more`])).toEqual([
      'my-files-pincer',
      'mcp-7-pincer',
      'a-name-of-thirty-charac-pincer',
    ]);
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
