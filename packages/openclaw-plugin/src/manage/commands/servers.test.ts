import type { HubStatus, ServerReport } from 'pincer/client';
import { expect, test } from 'vitest';
import { renderNeeds } from './servers.ts';
import { renderServerList } from './servers.ts';
import { renderServerStatus } from './status.ts';
import { verifies } from '../../../../../test/verifies.ts';

const NOW = 1_800_000_000_000;
const HOUR = 3_600_000;

const server = (name: string, more: Partial<ServerReport> = {}): ServerReport => ({
  name,
  state: 'ready',
  transport: 'http',
  target: `https://mcp.${name}.com/mcp`,
  tools: 2,
  auth: { kind: 'none' },
  ...more,
});

const statusOf = (servers: readonly ServerReport[], more: Partial<HubStatus> = {}): HubStatus => ({
  version: '0.1.0',
  pid: 1,
  mode: 'background',
  attached: 0,
  callsInFlight: 0,
  servers,
  ...more,
});

const RULE = '──────────────────────────────────────────────────────────';

test('has exactly the documented layout', () => {
  verifies('004-8.1-servers', '004-8.2-row', '004-8.2-auth-words', '004-8.2-stdio-row');
  const servers = [
    server('tavily', { auth: { kind: 'api-key' } }),
    server('github-mcp', {
      target: 'https://mcp.github.com/mcp',
      tools: 14,
      auth: { kind: 'oauth', expiresAt: NOW + 2 * HOUR + 5 },
    }),
    server('local-fs', {
      transport: 'stdio',
      target: 'npx @mcp/server-filesystem',
      pid: 48_291,
      tools: 6,
    }),
  ];
  expect(renderServerList(statusOf(servers), NOW)).toEqual([
    'MCP Servers (3 configured)',
    RULE,
    '  tavily          https://mcp.tavily.com/mcp',
    '                  Status: Connected | Auth: API Key | Tools: 2',
    '',
    '  github-mcp      https://mcp.github.com/mcp',
    '                  Status: Connected | Auth: OAuth (expires 2h) | Tools: 14',
    '',
    '  local-fs        stdio://npx @mcp/server-filesystem',
    '                  Status: Running (PID 48291) | Auth: None | Tools: 6',
    RULE,
  ]);
});

test('has a word for every state', () => {
  const words = (more: Partial<ServerReport>): string =>
    renderServerList(statusOf([server('a', more)]), NOW)[3]!.trim();
  expect(words({ state: 'connecting', tools: 0 })).toBe('Status: Connecting | Auth: None | Tools: 0');
  expect(words({ state: 'backoff', isStale: true })).toBe(
    'Status: Disconnected | Auth: None | Tools: 2 (as last heard)',
  );
  expect(words({ state: 'needs-sign-in', tools: 0, auth: { kind: 'oauth', needsSignIn: true } })).toBe(
    'Status: Auth required | Auth: OAuth (sign-in needed) | Tools: 0',
  );
  expect(words({ state: 'needs-sign-in', tools: 0, auth: { kind: 'api-key', needsSignIn: true } })).toBe(
    'Status: Auth required | Auth: API Key (refused) | Tools: 0',
  );
  expect(words({ state: 'disabled', tools: 0 })).toBe('Status: Disabled | Auth: None | Tools: 0');
  expect(words({ state: 'failed', tools: 0 })).toBe('Status: Error | Auth: None | Tools: 0');
  expect(words({ auth: { kind: 'oauth', expiresAt: NOW - 1 } })).toContain('OAuth (expired)');
  expect(words({ auth: { kind: 'oauth' } })).toContain('Auth: OAuth |');
  expect(words({ auth: { kind: 'oauth', isPerCaller: true } })).toContain('OAuth (one per person)');
});

test('widens the column for a long name, and keeps text of servers on one line', () => {
  const list = renderServerList(
    statusOf([
      server('a-very-long-name-of-a-server', { target: `https://a.example/\u202e\n${'x'.repeat(200)}` }),
    ]),
    NOW,
  );
  expect(list[2]).toMatch(/^ {2}a-very-long-name-of-a-server {2}https:\/\/a\.example\/\\u202e\\u000ax+…$/);
  expect(list[3]!.indexOf('Status:')).toBe(list[2]!.indexOf('https:'));
});

test('lists what needs the person', () => {
  const servers = [
    server('github', { state: 'needs-sign-in', auth: { kind: 'oauth', needsSignIn: true } }),
    server('tavily', { state: 'needs-sign-in', auth: { kind: 'api-key', needsSignIn: true } }),
    server('broken', {
      state: 'failed',
      error: { code: 'SERVER_UNREACHABLE', message: 'No such program. Run `pincer doctor`.' },
    }),
  ];
  const held = [
    { server: 'docs', tool: 'search', why: 'changed' as const },
    { server: 'docs', tool: 'get', why: 'new' as const },
    { server: 'mail', tool: 'send', why: 'new' as const },
  ];
  const clashes = [
    { uri: 'file:///a', servers: ['docs', 'mail'] },
    { uri: 'file:///b', servers: ['docs', 'mail'] },
    { uri: 'file:///c\n', servers: ['mail', 'files'] },
  ];
  expect(renderNeeds(statusOf(servers, { held, approvals: 1 }), clashes, ['A notice.'])).toEqual([
    'github needs a sign-in: /mcp auth github',
    'tavily does not accept its API key: /mcp status tavily',
    'broken: No such program. Run `openclaw pincer doctor`. More: /mcp status broken',
    '2 tools of docs wait for you to accept them: /mcp accept docs',
    '1 tool of mail waits for you to accept it: /mcp accept mail',
    '1 call waits for your approval: /mcp approvals',
    '2 resources are offered by docs and mail: docs answers.',
    String.raw`file:///c\u000a is offered by mail and files: mail answers.`,
    'A notice.',
  ]);
});

test('shows one server in detail', () => {
  verifies('004-8.1-status');
  const lines = renderServerStatus(
    server('docs', {
      state: 'backoff',
      since: NOW - 180_000,
      attempts: 4,
      nextTryAt: NOW + 12_000,
      lastDiscoveryAt: NOW - HOUR,
      isStale: true,
      era: 'legacy',
      session: '3f6e4c1e',
      lastHeardAt: NOW - 30_000,
      inFlight: 1,
      origin: 'config.json',
      stderr: 'one\n\u001b[31mtwo\n',
      auth: { kind: 'oauth', expiresAt: NOW + HOUR, isRenewable: true, scopes: ['read', 'write'] },
      error: {
        code: 'SERVER_UNREACHABLE',
        message: 'It cannot be reached.',
        hint: 'Run `pincer probe docs`.',
      },
    }),
    { held: 1, now: NOW },
  );
  expect(lines).toEqual([
    'docs: Disconnected for 3m; tried 4 times, next try in 12s',
    '  It cannot be reached.',
    '  Run `/mcp refresh docs`.',
    '  Address     https://mcp.docs.com/mcp',
    '  Auth        OAuth (expires 1h), renews automatically, scopes: read write',
    '  Tools       2, as last heard, asked 1h ago',
    '  Held        1 tool until you accept: /mcp accept docs',
    '  Protocol    legacy',
    '  Session     3f6e4c1e…',
    '  Last heard  30s ago',
    '  Running     1 call',
    '  Configured  config.json',
    '',
    '  Last lines of stderr:',
    '    one',
    String.raw`    \u001b[31mtwo`,
  ]);
});

test('shows the mistake in the settings of a server, with its place and a hint', () => {
  const file = '/home/me/.openclaw/openclaw.json';
  const wrong = server('bad\u202ename', {
    state: 'failed',
    tools: 0,
    isMisconfigured: true,
    error: {
      code: 'SECRET_UNKNOWN',
      message: `Line 12 of ${file}, servers.x.apiKey refers to $secret:X, but the vault has no secret X.`,
      hint: `Run \`pincer secret set X\`, or correct ${file}.`,
      setting: 'servers.x.apiKey',
      file,
      line: 12,
    },
  });
  const problems = [
    {
      section: 'servers',
      name: 'x',
      setting: 'servers.x',
      code: 'CONFIG_INVALID',
      message: 'One.',
      hint: '',
    },
    {
      section: 'policy',
      setting: 'policy',
      code: 'CONFIG_INVALID',
      message: 'Two.',
      hint: '',
      effect: 'Asked.',
    },
  ];
  const status = statusOf([wrong], { problems });
  expect(renderServerList(status, NOW).slice(2, 6)).toEqual([
    String.raw`  bad\u202ename   https://mcp.bad\u202ename.com/mcp`,
    '                  Status: Error | Auth: None | Tools: 0',
    '    openclaw.json, line 12, servers.x.apiKey refers to $secret:X, but the vault has no secret X.',
    '    Run `openclaw pincer secret set X`, or correct openclaw.json.',
  ]);
  expect(renderNeeds(status, [], [])).toEqual(['Two. Asked.']);
});
