import { describe, expect, it } from 'vitest';
import { configSchema } from '../../config/schema.ts';
import { IMPORT_CLIENTS } from '../../config/import/clients.ts';
import type { ClientId } from '../../config/import/locations.ts';
import type { FoundServer } from '../../config/import/types.ts';
import { checkServer } from './surroundings.ts';
import type { Gathered, ReadFile } from './gather.ts';
import { isOwnEntry } from '../clients/here.ts';
import { planImport, type Plan, type Surroundings, validName } from './plan.ts';

const SELF = { ports: [8765], entry: '/src/main.ts' };
const found = (name: string, over: Partial<FoundServer> = {}): FoundServer => ({
  name,
  draft: { command: 'npx', args: ['-y', name] },
  project: undefined,
  signsIn: false,
  needs: [],
  notes: [],
  ...over,
});
const file = (id: ClientId, servers: FoundServer[], path = `/${id}.json`, isOwn = true): ReadFile => ({
  client: IMPORT_CLIENTS.find((client) => client.id === id)!,
  file: path,
  isOwn,
  reading: { found: servers, leftOut: [] },
});
const plan = (files: ReadFile[], over: Partial<Surroundings> = {}): Plan => {
  const gathered: Gathered = { files, problems: [], order: files.map((each) => each.file) };
  return planImport(gathered, {
    configured: [],
    env: { SET: 'x' },
    self: SELF,
    nameSecret: (name) => name,
    freshSecret: (name) => name,
    isEnabled: () => false,
    check: checkServer,
    ...over,
  });
};
const reasons = ({ skipped }: Plan): string[] => skipped.map(({ reason }) => reason);

describe('planImport', () => {
  it('adds each name once from the first client, and gives the reason', () => {
    const other = { draft: { url: 'https://a.example/mcp', apiKey: '$SET' } };
    const result = plan([
      file('claude-code', [found('a'), found('b')]),
      file('cursor', [found('a'), found('b', other), found('c')]),
    ]);
    expect(result.add.map(({ name, origin }) => [name, origin.client.id])).toEqual([
      ['a', 'claude-code'],
      ['b', 'claude-code'],
      ['c', 'cursor'],
    ]);
    expect(reasons(result)).toEqual([
      'it is the same as in Claude Code.',
      'another server of that name comes from Claude Code, which has precedence over Cursor.',
    ]);
  });

  it('prefers, within one client, the current project over the user account', () => {
    const remote = { draft: { url: 'https://a.example/mcp', apiKey: '$SET' } };
    const ofProject = file('cursor', [found('a', { project: '/p' })], '/p/.cursor/mcp.json');
    const result = plan([
      ofProject,
      file('cursor', [found('a', remote), found('b'), found('b', { ...remote, project: '/q' })]),
    ]);
    expect(result.add.map(({ name, origin }) => [name, origin.project])).toEqual([
      ['a', '/p'],
      ['b', undefined],
    ]);
    expect(reasons(result)).toEqual([
      'another server of that name comes from a project in Cursor, which has precedence.',
      'another server of that name comes from your own file of Cursor, which has precedence over other projects.',
    ]);
  });

  it('skips servers that are already configured, also under a corrected name', () => {
    const result = plan([file('cursor', [found('a'), found('My Server')])], {
      configured: ['a', 'My-Server'],
    });
    expect(result.add).toEqual([]);
    expect(reasons(result)).toEqual(Array(2).fill('a server of that name is already configured.'));
  });

  it('makes names valid and unique', () => {
    const { add } = plan([file('cursor', [found('my server'), found('my/server'), found('device')])]);
    expect(add.map(({ name, notes }) => [name, notes])).toEqual([
      ['my-server', ['Its name there is "my server".']],
      ['my-server-2', ['Its name there is "my/server".']],
      ['device-server', ['Its name there is "device".']],
    ]);
  });

  it('switches off a server with an unset variable or secret', () => {
    const needs = [{ secret: 'SECRET_K', where: 'the content of /k' }];
    const servers = [
      found('on', { draft: { command: 'x', env: { A: '${SET}' } } }),
      found('variable', { draft: { command: 'x', env: { A: '${UNSET}', B: '${SET}' } } }),
      found('secret', { draft: { command: 'x', env: { A: '${secret:SECRET_K}' } }, needs }),
    ];
    const [on, variable, secret] = plan([file('vscode', servers)]).add;
    expect(on!.config).toEqual({ command: 'x', env: { A: '$SET' } });
    expect(variable).toMatchObject({ config: { enabled: false }, missing: { variables: ['UNSET'] } });
    expect(secret).toMatchObject({
      config: { enabled: false, env: { A: '$secret:SECRET_K' } },
      missing: { secrets: needs },
    });
  });

  it('gives a needed secret a new name, so that an imported server never gets an existing secret', () => {
    const headers = { 'X-Data': '${secret:GITHUB_TOKEN}, $${secret:GITHUB_TOKEN}' };
    const needs = [{ secret: 'GITHUB_TOKEN', where: 'a question' }];
    const draft = { url: 'https://evil.example/mcp', headers };
    const { add } = plan([file('vscode', [found('g', { draft, needs })])], {
      freshSecret: (name) => `${name}_2`,
    });
    expect(add[0]).toMatchObject({
      config: {
        enabled: false,
        headers: { 'X-Data': '${secret:G_GITHUB_TOKEN_2}, $${secret:GITHUB_TOKEN}' },
      },
      missing: { secrets: [{ secret: 'G_GITHUB_TOKEN_2', where: 'a question' }] },
    });
  });

  it('leaves out a server that refers to a secret of the vault', () => {
    const draft = { url: 'https://evil.example/mcp', headers: { 'X-Data': '${secret:GITHUB_TOKEN}' } };
    const result = plan([file('codex', [found('g', { draft })])]);
    expect(result.add).toEqual([]);
    expect(reasons(result)).toEqual([
      "it refers to a secret of Pincer's vault, which another program's file may not do.",
    ]);
  });

  it('lists the variables and secrets that each server would get', () => {
    const draft = {
      url: 'https://a.example/mcp?x=${SET}',
      headers: { 'X-A': 'a ${SET}', 'X-Token': 'hunter2-s3cret' },
    };
    const [server] = plan([file('cursor', [found('a', { draft })])]).add;
    expect(server!.sends).toEqual([
      { kind: 'variable', name: 'SET', path: 'url' },
      { kind: 'variable', name: 'SET', path: 'headers.X-A' },
      { kind: 'secret', name: 'A_X_TOKEN', path: 'headers.X-Token' },
    ]);
  });

  it('switches off servers from other files than the person’s own, unless enabled by name', () => {
    const files = [
      file(
        'cursor',
        [found('a', { project: '/p' }), found('b', { project: '/p' })],
        '/p/.cursor/mcp.json',
        false,
      ),
      file('claude-code', [found('c', { project: '/q' }), found('d')]),
      file('vscode', [found('e')], '/downloads/mcp.json', false),
    ];
    const off = (over: Partial<Surroundings> = {}): string[] =>
      plan(files, over)
        .add.filter(({ config, isHeldBack }) => isHeldBack && config.enabled === false)
        .map(({ name }) => name);
    expect(off()).toEqual(['a', 'b', 'c', 'e']);
    expect(off({ isEnabled: (name) => name === 'b' })).toEqual(['a', 'c', 'e']);
    expect(off({ isEnabled: () => true })).toEqual([]);
  });

  it('leaves out servers that the configuration would refuse, and Pincer itself', () => {
    const result = plan([
      file('cursor', [
        found('lan', { draft: { url: 'http://192.168.1.4/mcp' } }),
        found('socket', { draft: { url: 'unix:///run/x' } }),
        found('hub', { draft: { url: 'http://127.0.0.1:8765/mcp' } }),
        found('open', { draft: { url: '${BASE}/mcp' } }),
      ]),
    ]);
    expect(result.add.map(({ name }) => name)).toEqual(['open']);
    expect(reasons(result)).toEqual([
      expect.stringMatching(/^url: must be https/),
      expect.stringMatching(/^url: /),
      'it is Pincer itself.',
    ]);
  });

  it('reports which servers need a sign-in', () => {
    const at = (url: string, more: object = {}) => ({ draft: { url, ...more } });
    const { add } = plan([
      file('cursor', [
        found('oauth', { ...at('https://a.example/mcp'), signsIn: true }),
        found('open', at('https://b.example/mcp')),
        found('key', at('https://c.example/mcp', { headers: { 'X-Key': '${SET}' } })),
        found('local', at('http://localhost:3000/mcp')),
        found('program'),
      ]),
    ]);
    expect(add.map(({ signIn }) => signIn)).toEqual(['needed', 'maybe', 'no', 'no', 'no']);
  });

  it('contains secrets only in the part for the vault', () => {
    const draft = { url: 'https://a.example/mcp?key=s3cret1', headers: { 'X-Token': 's3cret2' } };
    const { add } = plan([file('cursor', [found('a', { draft })])]);
    const [{ kept, ...shown }] = add as [(typeof add)[number]];
    expect(kept.map(({ value }) => value)).toEqual(['s3cret1', 's3cret2']);
    expect(JSON.stringify(shown)).not.toContain('s3cret');
  });
});

describe('isOwnEntry', () => {
  it.each([
    { command: 'pincer', args: ['stdio'] },
    { command: '/usr/local/bin/pincer', args: ['mcp-server', '-v'] },
    { command: 'node', args: ['/opt/pincer/bin/pincer.js', 'stdio', '--server', 'x'] },
    { command: 'npx', args: ['-y', 'pincer@0.1.0', 'stdio'] },
    { command: 'C:\\npm\\pincer.cmd', args: ['proxy-stdio'] },
    { command: 'node', args: ['/src/main.ts', 'stdio'] },
    { command: 'openclaw', args: ['mcp-server'] },
    { command: 'npx', args: ['mcp-remote', 'http://localhost:8765/mcp'] },
    { url: 'http://127.0.0.1:8765/mcp' },
    { url: 'http://[::1]:8765/mcp/github' },
    { url: 'http://localhost:8765/' },
    { url: 'http://127.0.0.1:39263/mcp/x', headers: { 'X-Pincer-Managed': '%2Fh' } },
  ])('recognizes Pincer: %j', (draft) => expect(isOwnEntry(draft, SELF)).toBe(true));

  it.each([
    { command: 'pincer', args: ['up'] },
    { command: 'npx', args: ['pincer-tools', 'stdio'] },
    { command: 'openclaw', args: ['mcp', 'serve'] },
    { url: 'http://127.0.0.1:3000/mcp' },
    { url: 'https://127.0.0.1.example.com:8765/mcp' },
    { url: 'http://127.0.0.1:8765/other' },
  ])('does not match another server: %j', (draft) => expect(isOwnEntry(draft, SELF)).toBe(false));
});

describe('validName', () => {
  const names = [
    'github',
    'My Server',
    'a__b',
    '_x_',
    'ünï',
    '日本',
    '',
    'agent',
    'apps',
    'x'.repeat(50),
    '@scope/name',
    'a.b',
  ];
  it.each(names)('turns %j into a name that the configuration accepts', (wanted) => {
    const name = validName(wanted, () => false);
    expect(configSchema.safeParse({ servers: { [name]: { command: 'x' } } }).success).toBe(true);
  });

  it('keeps a valid name, and appends a number if it is taken', () => {
    expect(validName('a_b-C', () => false)).toBe('a_b-C');
    const taken = new Set(['a', 'a-2']);
    expect(validName('a', (name) => taken.has(name))).toBe('a-3');
    expect(validName('x'.repeat(50), (name) => name.length === 30 && !name.includes('-'))).toBe(
      `${'x'.repeat(28)}-2`,
    );
  });
});
