import { describe, expect, it } from 'vitest';
import type { ServerRow } from '../servers/rows.ts';
import { COLOURED, PLAIN } from '../terminal/style.ts';
import { renderAdded } from '../commands/add.ts';
import { renderFindings } from '../commands/doctor.ts';
import { renderServerList } from './server-list.ts';
import { stateWord } from '../../control/client/state-word.ts';
import { renderTokenList } from '../commands/token.ts';
import { renderToolList } from '../commands/tools.ts';

const row = (name: string, more: Partial<ServerRow>): ServerRow => ({
  name,
  state: 'ready',
  transport: 'http',
  target: 'https://a.b/mcp',
  tools: 2,
  pid: undefined,
  error: undefined,
  ...more,
});
const lines = (text: string): string[] => text.split('\n');

describe('stateWord', () => {
  it('uses the documented words', () => {
    expect(
      ['connecting', 'ready', 'backoff', 'needs-sign-in', 'disabled', 'failed', 'idle'].map((state) =>
        stateWord(state, 'http'),
      ),
    ).toEqual(['Connecting', 'Connected', 'Disconnected', 'Auth required', 'Disabled', 'Error', 'Idle']);
    expect([stateWord('ready', 'stdio'), stateWord('ready', 'stdio', 7), stateWord('odd', 'http')]).toEqual([
      'Running',
      'Running (7)',
      'odd',
    ]);
  });
});

describe('renderServerList', () => {
  it('shows a line per server, its error below it, and a summary', () => {
    const error = { code: 'SERVER_UNREACHABLE', message: 'Gone.', hint: 'Look.' };
    const rows = [
      row('docs', {}),
      row('fs', { transport: 'stdio', state: 'backoff', tools: undefined, error }),
    ];
    expect(lines(renderServerList(rows, PLAIN))).toEqual([
      '   NAME  STATE         TOOLS  TRANSPORT  TARGET',
      '●  docs  Connected     2      http       https://a.b/mcp',
      '✗  fs    Disconnected  -      stdio      https://a.b/mcp',
      '   Gone.',
      '   hint: Look.',
      '',
      '2 servers: 1 connected, 1 disconnected.',
      '',
    ]);
  });

  it('aligns columns independent of colours, and names the next step for an empty list', () => {
    const plain = renderServerList([row('a', {}), row('longer', {})], PLAIN);
    const coloured = renderServerList([row('a', {}), row('longer', {})], COLOURED);
    // oxlint-disable-next-line no-control-regex -- colours are what this is about
    expect(coloured.replaceAll(/\u001b\[\d+m/g, '')).toBe(plain);
    expect(renderServerList([], PLAIN)).toContain('No servers yet.');
  });

  it('has a SIGN-IN column if a server uses authentication', () => {
    const rows = [row('a', { auth: { kind: 'api-key' } }), row('b', {})];
    const [head, a, b] = lines(renderServerList(rows, PLAIN));
    expect(head).toMatch(/TOOLS +SIGN-IN +TRANSPORT/);
    expect(a).toContain('API key');
    expect(b).toMatch(/ - +http/);
  });
});

describe('renderToolList', () => {
  it('shows signature, first line and an example call for each tool', () => {
    const definition = {
      description: 'Returns\u001b[2J it.\nMore.',
      inputSchema: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
      annotations: { readOnlyHint: true },
    };
    const tools = [
      { server: 'x', name: 'echo', definition },
      { server: 'y', name: 'stop', definition: {} },
    ];
    expect(lines(renderToolList(tools, { style: PLAIN, stale: new Map(), held: [] }))).toEqual([
      'x (1 tool)',
      '',
      '  echo(message: string)',
      String.raw`    Returns\u001b[2J it. [read-only]`,
      '    $ pincer call x.echo message=text',
      '',
      'y (1 tool)',
      '',
      '  stop()',
      '    $ pincer call y.stop',
      '',
    ]);
  });
});

describe('renderToolList for disconnected servers', () => {
  it('marks stale lists and held tools', () => {
    const tools = [{ server: 'x', name: 'echo', definition: {} }];
    const stale = new Map([['x', 'Disconnected']]);
    const held = [
      { server: 'x', tool: 'run', why: 'changed' },
      { server: 'y', tool: 'new\u202e', why: 'new' },
    ] as const;
    expect(lines(renderToolList(tools, { style: PLAIN, stale, held }))).toEqual([
      'x (1 tool) from the last connection; now: Disconnected',
      '',
      '  echo()',
      '    $ pincer call x.echo',
      '',
      '  ! run is held: it has changed',
      '    $ pincer accept x',
      '',
      'y (0 tools)',
      '',
      String.raw`  ! new\u202e is held: it is new`,
      '    $ pincer accept y',
      '',
    ]);
  });
});

describe('renderAdded', () => {
  it('lists the tools and the next step', () => {
    const tools = [{ server: 'x', name: 'echo', definition: { description: 'Returns it.' } }];
    expect(renderAdded('x', tools, { style: PLAIN, width: 80 })).toBe(
      '● x is connected: 1 tool.\n  echo  Returns it.\n\nNext: pincer tools x\n',
    );
    expect(renderAdded('x', [], { style: PLAIN, width: 80 })).toBe('● x is connected: 0 tools.\n');
  });
});

describe('renderTokenList', () => {
  it('shows what each token may use', () => {
    const createdAt = '2026-11-15T22:14:58.593Z';
    const tokens = [
      { name: 'all', kind: 'client', scopes: {}, createdAt },
      {
        name: 'few',
        kind: 'client',
        scopes: { servers: ['a', 'b'], tools: ['a.x*'], readOnly: true },
        createdAt,
      },
      { name: 'web', kind: 'app', origins: ['https://a.example', 'http://localhost:1'] },
      { name: 'pc', kind: 'app', origins: [] },
    ] as const;
    expect(lines(renderTokenList(tokens, PLAIN))).toEqual([
      'NAME  KIND    CREATED     MAY USE',
      'all   client  2026-11-15  everything',
      'few   client  2026-11-15  servers a, b and tools a.x*, read-only',
      'web   app                 the app proxy, from pages of https://a.example, http://localhost:1',
      'pc    app                 the app proxy',
      '',
    ]);
    expect(renderTokenList([], PLAIN)).toContain('pincer token add');
  });
});

describe('renderFindings', () => {
  it('shows problems with their hints', () => {
    const text = renderFindings(
      [
        { severity: 'ok', path: 'node', message: 'Fine.' },
        { severity: 'error', path: '/home/config.json', message: 'Bad.', fixHint: 'Do.' },
      ],
      '/home',
      PLAIN,
    );
    expect(lines(text)).toEqual([
      '✓  node         Fine.',
      '✗  config.json  Bad.',
      '   hint: Do.',
      '',
      '1 error, 0 warnings.',
      '',
    ]);
    expect(renderFindings([], '/home', PLAIN)).toContain('No problems found.');
  });
});
