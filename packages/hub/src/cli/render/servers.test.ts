import { describe, expect, it } from 'vitest';
import { PincerError } from '../../core/errors.ts';
import type { ServerReport } from '../../control/contract/status.ts';
import { PLAIN } from '../terminal/style.ts';
import { columns } from './columns.ts';
import { renderCalls } from '../commands/logs.ts';
import { renderHubStatus, renderServerStatus } from '../commands/status.ts';
import { renderProbes } from '../commands/probe.ts';
import { renderReload, renderRestart } from '../settings/report-change.ts';
import { renderShown } from '../commands/show.ts';

const NOW = new Date(2026, 10, 16, 12).getTime();
const server: ServerReport = {
  name: 'docs',
  state: 'backoff',
  transport: 'http',
  target: 'https://a.b/mcp',
  tools: 4,
  since: NOW - 62_000,
  attempts: 3,
  nextTryAt: NOW + 4_000,
  lastDiscoveryAt: NOW - 120_000,
  isStale: true,
  inFlight: 1,
  stderr: '',
  error: { code: 'SERVER_UNREACHABLE', message: 'Gone.', hint: 'Look.' },
};
const status = { style: PLAIN, now: NOW, held: 2, allOfStderr: false };
const lines = (text: string): string[] => text.split('\n');

describe('renderServerStatus', () => {
  it('shows the state, its reason and age, and the next step', () => {
    expect(lines(renderServerStatus(server, status))).toEqual([
      '✗ docs  Disconnected for 1 min 2 s; tried 3 times, again in 4 s',
      '   Gone.',
      '   hint: Look.',
      '',
      '  transport      http',
      '  url            https://a.b/mcp',
      '  tools          4 from the last connection, listed 2 min ago (11:58:00)',
      '  held           2 tools until you accept them: pincer accept docs',
      '  running        1 call',
      '  configured in  config.json',
      '',
    ]);
  });

  it.each([
    [{ kind: 'none' }, undefined],
    [{ kind: 'api-key' }, 'API key'],
    [{ kind: 'api-key', needsSignIn: true }, 'API key (refused)'],
    [{ kind: 'oauth', needsSignIn: true, expiresAt: NOW }, 'OAuth (sign-in needed)'],
    [{ kind: 'oauth', isPerCaller: true }, 'OAuth (each caller)'],
    [{ kind: 'oauth', expiresAt: NOW - 1 }, 'OAuth (expired)'],
    [
      { kind: 'oauth', expiresAt: NOW + 7_200_000, isRenewable: true, scopes: ['read', 'write'] },
      'OAuth (expires in 2 h), renewed automatically: read write',
    ],
  ] as const)('shows the authentication %j', (auth, text) => {
    const line = lines(renderServerStatus({ ...server, auth }, status)).find((each) =>
      each.includes('sign-in  '),
    );
    expect(line?.replace(/^ +sign-in +/, '')).toBe(text);
  });

  it('shows the last lines of stderr, or all of them, without control characters', () => {
    const stderr = `${Array.from({ length: 12 }, (_, index) => `line ${index}`).join('\n')}\u001b[2J\n`;
    const running = { ...server, stderr, error: undefined };
    const short = renderServerStatus(running, status);
    expect(short).toContain('Last lines on stderr (2 lines more: pincer status docs --stderr):');
    expect(short).not.toContain('line 1\n');
    expect(short).toContain(String.raw`    line 11\u001b[2J`);
    expect(renderServerStatus(running, { ...status, allOfStderr: true })).toContain('    line 0\n');
  });
});

describe('renderHubStatus', () => {
  it('shows the hub, and one line per server', () => {
    const hubFile = {
      pid: 7,
      version: '1.0.0',
      mode: 'foreground',
      endpoints: { mcp: 'http://127.0.0.1:1/mcp', control: '', health: '' },
    } as Parameters<typeof renderHubStatus>[0]['hubFile'];
    const hub = {
      version: '1',
      pid: 7,
      mode: 'foreground',
      attached: 1,
      callsInFlight: 0,
      approvals: 1,
      held: [{ server: 'docs', tool: 'x', why: 'new' }],
      servers: [],
    } as const;
    const text = renderHubStatus(
      { hubFile, status: hub, rows: [{ ...server, held: 1 }] },
      { style: PLAIN, now: NOW, width: 80 },
    );
    expect(lines(text)).toEqual([
      '● Pincer 1.0.0 is running in the foreground, process 7.',
      '  MCP      http://127.0.0.1:1/mcp',
      '  clients  1 connected, 0 calls running',
      '  waiting  1 call for your approval: pincer approvals; 1 tool for you to accept: pincer accept',
      '',
      '   NAME  STATE         SINCE      ERA  TOOLS           CALLS  LAST ERROR',
      '✗  docs  Disconnected  1 min 2 s  -    4 (1 held) old  1      Gone.',
      '',
    ]);
  });
});

describe('renderShown', () => {
  it('shows settings and the offer', () => {
    const offer = {
      name: 'docs',
      isKnown: true,
      era: 'modern',
      serverInfo: { name: 'Docs', version: '2' },
      tools: ['read', 'write'],
      prompts: [],
      resources: ['file:///a'],
      templates: [],
    };
    const shown = {
      row: { ...server, error: undefined },
      offer,
      held: [],
      config: { url: 'https://a.b/mcp' },
    };
    expect(lines(renderShown(shown, PLAIN))).toEqual([
      '✗ docs  Disconnected',
      '',
      '  calls itself   Docs 2',
      '  era            modern',
      '  offers         2 tools, 1 resource',
      '  tools          read, write',
      '  resources      file:///a',
      '  configured in  config.json',
      '',
      '  {',
      '    "url": "https://a.b/mcp"',
      '  }',
      '',
    ]);
  });
});

describe('renderProbes', () => {
  it('shows answers, and errors with their hints', () => {
    const failure = new PincerError('SERVER_UNREACHABLE', 'Gone.', { hint: 'Look.' });
    const offer = { name: 'a', isKnown: true, tools: ['x'], prompts: [], resources: [], templates: [] };
    const probed = [
      { name: 'a', report: { ...offer, era: 'legacy', ms: 12 } },
      { name: 'b', failure },
    ];
    expect(lines(renderProbes(probed, PLAIN))).toEqual([
      '✓  a  12 ms      legacy  1 tool',
      '✗  b  no answer',
      '   Gone.',
      '   hint: Look.',
      '',
      '2 servers: 1 answered, 1 did not.',
      '',
    ]);
  });
});

describe('renderCalls', () => {
  const call = {
    id: 1,
    at: NOW - 1_000,
    caller: 'local',
    surface: 'http',
    server: 'docs',
    method: 'tools/call',
    tool: 'read\u0007',
    outcome: 'ok',
    code: null,
    durationMs: 12.4,
    arguments: '{"a":"b"}',
    session: null,
    argumentBytes: 9,
    answerBytes: 0,
  };
  const options = {
    style: PLAIN,
    now: NOW,
    width: 80,
    withArguments: false,
    withSizes: false,
    withHead: true,
  };

  it('shows time, outcome, caller, duration and tool', () => {
    const calls = [
      call,
      { ...call, outcome: 'not_executed', code: 'POLICY_DENIED', tool: 'write' },
      { ...call, method: 'resources/read', tool: 'file:///a' },
    ];
    expect(lines(renderCalls(calls, options))).toEqual([
      'TIME      OUTCOME       CALLER  TOOK   CALL',
      String.raw`11:59:59  ok            local   12 ms  docs.read\u0007`,
      '11:59:59  not_executed  local   12 ms  docs.write  POLICY_DENIED',
      '11:59:59  ok            local   12 ms  docs resources/read file:///a',
      '',
    ]);
    expect(renderCalls(calls.slice(0, 1), { ...options, withArguments: true, withHead: false })).toMatch(
      /\n {4}\{"a":"b"\}\n$/,
    );
    expect(renderCalls([], options)).toBe('');
  });

  it('shows events of apps with their session', () => {
    const event = {
      ...call,
      surface: 'proxy',
      method: 'sessions/create',
      tool: '',
      session: 'ab12',
      durationMs: 0,
    };
    const gone = { ...event, method: 'bridge/disconnect', durationMs: 65_000 };
    const refused = { ...event, session: null, outcome: 'not_executed', code: 'RATE_LIMITED' };
    expect(lines(renderCalls([event, gone, refused], { ...options, withHead: false }))).toEqual([
      '11:59:59  ok            local             docs sessions/create ab12',
      '11:59:59  ok            local  1 min 5 s  docs bridge/disconnect ab12',
      '11:59:59  not_executed  local             docs sessions/create  RATE_LIMITED',
      '',
    ]);
  });

  it('shows sizes on request, if known', () => {
    const calls = [call, { ...call, argumentBytes: null, answerBytes: 2_048 }];
    expect(lines(renderCalls(calls, { ...options, withSizes: true }))).toEqual([
      'TIME      OUTCOME  CALLER  TOOK   SENT     ANSWER   CALL',
      String.raw`11:59:59  ok       local   12 ms  9 bytes  0 bytes  docs.read\u0007`,
      String.raw`11:59:59  ok       local   12 ms           2.0 KB   docs.read\u0007`,
      '',
    ]);
  });
});

describe('renderReload', () => {
  it('lists the changes', () => {
    const report = {
      added: ['a'],
      removed: ['b'],
      changed: ['c'],
      unchanged: ['d', 'e'],
      failed: ['x y'],
      needsRestart: ['store'],
    };
    expect(renderReload(report)).toBe(
      'a added, c changed, b removed, x y cannot be used, 2 servers unchanged.\n',
    );
    expect(renderRestart(report)).toBe('Takes effect after a restart of the hub: store.\n');
    const none = { added: [], removed: [], changed: [], unchanged: ['d'], failed: [], needsRestart: [] };
    expect(renderReload(none) + renderRestart(none)).toBe('nothing has changed, 1 server unchanged.\n');
  });
});

describe('columns', () => {
  it('cuts the last cell to fit the width', () => {
    expect(columns([['a', 'x'.repeat(100)]], 40)).toEqual([`a  ${'x'.repeat(36)}…`]);
    expect(columns([['a', 'x'.repeat(100)]])).toEqual([`a  ${'x'.repeat(100)}`]);
  });
});
