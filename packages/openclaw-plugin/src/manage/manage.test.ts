import { PincerError } from 'pincer/client';
import { expect, test } from 'vitest';
import { asker, held, linesOf, NOW } from '../../../../test/kit/ask-manage.ts';
import { toldHub, toldServer, toldServers } from '../../../../test/kit/fake-hub.ts';
import { createManage } from './manage.ts';
import { verifies } from '../../../../test/verifies.ts';

test('lists all subcommands without arguments', async () => {
  verifies('004-8-unknown', '004-8-raw-args');
  const text = await asker(toldHub({}))('');
  for (const name of [
    'servers',
    'tools',
    'connect',
    'disconnect',
    'auth',
    'status',
    'refresh',
    'approvals',
    'accept',
  ])
    expect(text).toMatch(new RegExp(`^  /mcp ${name} `, 'm'));
  expect(text).toBe(await asker(toldHub({}))('HELP'));
});

test('suggests the closest subcommand or server', async () => {
  verifies('004-8-unknown');
  expect(linesOf(await asker(toldHub({}))('sevrers'))).toEqual([
    'Unknown subcommand of /mcp: "sevrers".',
    'Did you mean /mcp servers?',
  ]);
  expect(linesOf(await asker(toldHub({}))('xyzzy'))).toEqual([
    'Unknown subcommand of /mcp: "xyzzy".',
    'Type /mcp help.',
  ]);
  const hub = toldHub(toldServers(toldServer('github'), toldServer('docs')));
  expect(linesOf(await asker(hub)('status gihtub'))).toEqual([
    'No server "gihtub" is configured.',
    'Did you mean github?',
  ]);
  expect(linesOf(await asker(hub)('status GitHub'))[0]).toBe('github: Connected');
});

test("says what replaces the subcommands of OpenClaw's own /mcp", async () => {
  const ask = asker(toldHub({}));
  expect(await ask('show')).toContain('/mcp servers');
  expect(await ask('get mcp.servers.docs')).toContain('openclaw mcp show <name>');
  expect(await ask('set docs={"command":"x"}')).toContain('openclaw pincer set');
  expect(await ask('unset docs')).toContain('/mcp disconnect');
});

test('reports a missing hub in a sentence', async () => {
  const manage = createManage({
    hub: () =>
      Promise.reject(new PincerError('HUB_UNREACHABLE', 'No hub.', { hint: 'Run `pincer doctor`.' })),
    notices: () => [],
    entries: () => [],
    settle: () => Promise.resolve([]),
    now: () => NOW,
  });
  expect(linesOf(await manage({ text: 'servers', mayChange: true, by: 'command' }))).toEqual([
    'No hub.',
    'Run `openclaw pincer doctor`.',
  ]);
});

test.each([
  'connect https://example.com/mcp',
  'disconnect docs',
  'auth docs',
  'auth docs --code x',
  'refresh',
  'refresh docs',
  'approvals allow 3f2a91',
  'approvals deny 3f2a91',
  'accept docs --yes',
])('refuses %s to models and to persons who are not the owner', async (text) => {
  verifies('004-8-model-read-only');
  const hub = toldHub({ ...toldServers(toldServer('docs')), 'GET held?server=docs': [held('search', 'd1')] });
  const ask = asker(hub);
  expect(await ask(text, { mayChange: false, by: 'model' })).toBe(
    `Only the owner can do that, by typing the command.\nAsk them to type: /mcp ${text}`,
  );
  expect(await ask(text, { mayChange: false, by: 'skill' })).toContain(`Type: /mcp ${text}`);
  expect(await ask(text, { mayChange: false, by: 'command' })).toContain('Only the owner of this OpenClaw');
  expect(hub.changes).toEqual([]);
});

test('shows the content of a waiting call only to the owner', async () => {
  const call = { id: '3f2a91-1', caller: 'c', server: 'docs', tool: 'x', arguments: '{"to":"ann"}' };
  const hub = toldHub({ 'GET approvals': [{ ...call, askedAt: 0, state: 'open' }] });
  const ask = asker(hub);
  for (const by of ['model', 'command'] as const) {
    const look = (text: string): Promise<string> => ask(text, { mayChange: false, by });
    expect(await look('approvals')).toContain('docs.x  open');
    expect(await look('approvals')).not.toContain('ann');
    expect(await look('approvals show 3f2a91')).toContain('Only the owner may see');
  }
  expect(await ask('approvals', { mayChange: true, by: 'command' })).toContain('{"to":"ann"}');
});

test('lets a model read', async () => {
  verifies('004-8-model-read-only');
  const hub = toldHub({
    ...toldServers(toldServer('docs')),
    'GET tools': [{ server: 'docs', name: 'search', exposed: 'docs__search', definition: {} }],
    'GET approvals': [],
    'GET held': [],
    'GET held?server=docs': [held('search', 'd1')],
  });
  const ask = asker(hub);
  const look = (text: string): Promise<string> => ask(text, { mayChange: false, by: 'model' });
  expect(await look('servers')).toMatch(/^MCP Servers \(1 configured\)/);
  expect(await look('tools docs')).toContain('docs__search');
  expect(await look('status docs')).toMatch(/^docs: Connected/);
  expect(await look('approvals')).toBe('Nothing waits for you.');
  expect(await look('accept docs')).toContain('docs.search has changed');
  expect(hub.changes).toEqual([]);
});

test('lists the tools of one server, and refuses an unknown server', async () => {
  verifies('004-8.1-tools-server');
  const tool = (server: string) => ({ server, name: 'x', exposed: `${server}__x`, definition: {} });
  const hub = toldHub({
    ...toldServers(toldServer('docs'), toldServer('mail')),
    'GET tools': [tool('docs'), tool('mail')],
  });
  expect(linesOf(await asker(hub)('tools docs'))).toEqual(['docs (1 tool)', '  docs__x']);
  expect(linesOf(await asker(hub)('tools xyzzy'))[0]).toBe('No server "xyzzy" is configured.');
});

test('lists what needs the person after the servers, with notices of the plugin', async () => {
  const text = await asker(toldHub(toldServers(toldServer('docs'))), {
    notices: () => ['A notice.'],
  })('servers');
  expect(linesOf(text).slice(-2)).toEqual(['', 'A notice.']);
  expect(linesOf(await asker(toldHub(toldServers()))('servers'))[0]).toBe('There are no MCP servers yet.');
});

test('names tools as agents call them, with held tools and servers without tools', async () => {
  verifies('004-8.1-tools');
  const hub = toldHub({
    'GET status': {
      servers: [
        toldServer('docs'),
        toldServer('mail', { state: 'failed', error: { code: 'X', message: 'No way.' } }),
      ],
      held: [{ server: 'docs', tool: 'drop', why: 'new' }],
    },
    'GET tools': [
      {
        server: 'docs',
        name: 'search',
        exposed: 'docs__search',
        definition: { description: 'Finds\u202e.\nMore.', annotations: { readOnlyHint: true } },
      },
    ],
  });
  expect(linesOf(await asker(hub)('tools'))).toEqual([
    'docs (1 tool)',
    String.raw`  docs__search  Finds\u202e.  [read-only]`,
    '  drop is held: it is new',
    '  Show held tools: /mcp accept docs',
    'mail: No way.',
  ]);
});
