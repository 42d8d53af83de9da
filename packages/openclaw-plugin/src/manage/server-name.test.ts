import { expect, test } from 'vitest';
import { serverName } from './server-name.ts';

const named = (url: string, ...taken: string[]): string => serverName(new URL(url), taken);

test.each([
  ['https://mcp.tavily.com/mcp', 'tavily'],
  ['https://mcp.github.com/mcp', 'github'],
  ['https://api.githubcopilot.com/mcp/', 'githubcopilot'],
  ['https://tools.example.co.uk/mcp', 'example'],
  ['https://docs.mcp.cloudflare.com/mcp', 'cloudflare'],
  ['https://mcp.io/mcp', 'mcp'],
  ['http://127.0.0.1:3001/mcp', 'local-3001'],
  ['http://localhost/mcp', 'local'],
  ['http://[::1]:80/mcp', 'local'],
  ['https://intranet/mcp', 'intranet'],
  ['https://bücher.example/mcp', 'xn--bcher-kva'],
])('%s is called %s', (url, name) => {
  expect(named(url)).toBe(name);
});

test('a name that is taken or reserved gets a number', () => {
  expect(named('https://mcp.tavily.com', 'Tavily')).toBe('tavily-2');
  expect(named('https://mcp.tavily.com', 'tavily', 'tavily-2')).toBe('tavily-3');
  expect(named('https://agent.com')).toBe('agent-2');
});

test('a long name is cut, with its number', () => {
  const long = 'a'.repeat(40);
  expect(named(`https://${long}.com`)).toBe('a'.repeat(30));
  expect(named(`https://${long}.com`, 'a'.repeat(30))).toBe(`${'a'.repeat(28)}-2`);
});
