import { describe, expect, it } from 'vitest';
import { shownTarget } from './shown-target.ts';

describe('shownTarget', () => {
  it.each([
    [{ url: 'https://example.com/mcp' }, 'https://example.com/mcp'],
    [{ url: 'https://example.com/mcp?key=KEY#x' }, 'https://example.com/mcp'],
    [{ url: 'https://example.com/mcp#KEY' }, 'https://example.com/mcp'],
    [{ url: 'https://example.com/mcp?a\nKEY' }, 'https://example.com/mcp'],
    [{ url: 'https://KEY@example.com/mcp' }, 'https://example.com/mcp'],
    [{ url: 'https://user:KEY@example.com/mcp' }, 'https://example.com/mcp'],
    [{ url: 'https://user:a@KEY@example.com/mcp' }, 'https://example.com/mcp'],
    [{ url: 'https://example.com/@scope/mcp' }, 'https://example.com/@scope/mcp'],
    [{ url: 'https://example.com/$NAME/mcp' }, 'https://example.com/$NAME/mcp'],
    [{ command: 'npx' }, 'npx'],
    [{ command: 'npx', args: ['-y', 'server', '--key', '$NAME'] }, 'npx -y server --key $NAME'],
    [
      { command: 'npx', args: ['--api-key', 'KEY', '--token=KEY', '-v'] },
      'npx --api-key (hidden) --token=(hidden) -v',
    ],
    [{ command: 'npx', args: 'no list' }, 'npx'],
    [{ url: 5 }, ''],
  ])('%j: %s', (server, text) => expect(shownTarget(server)).toBe(text));
});
