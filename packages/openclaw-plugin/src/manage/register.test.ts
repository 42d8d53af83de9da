import { expect, test } from 'vitest';
import { toldHub, toldServer, toldServers } from '../../../../test/kit/fake-hub.ts';
import type { CommandContext, HostApi, HostCommand, HostTool } from '../host.ts';
import { registerManage } from './manage.ts';
import { verifies } from '../../../../test/verifies.ts';

const SENDER: CommandContext = { channel: 'webchat', senderId: 'ada' };

/** The registrations with a host that has this configuration. */
function registered(config: object) {
  const hub = toldHub({ ...toldServers(toldServer('docs')), 'POST disconnect': {} });
  let command: HostCommand | undefined;
  let tool: HostTool | undefined;
  const api: Pick<HostApi, 'registerCommand' | 'registerTool'> & { runtime: object } = {
    runtime: { config: { current: () => config } },
    registerCommand: (given) => void (command = given),
    registerTool: (create) => void (tool = create()),
  };
  const runtime = {
    hub: () => Promise.resolve(hub),
    status: () => undefined,
    onStatus: () => () => undefined,
  };
  registerManage(api as HostApi, runtime, '/state/mcp');
  return { hub, command: command!, tool: tool! };
}

test('lets only the owner change things, and treats an unknown sender as not the owner', async () => {
  verifies('004-2-slash-command');
  const { hub, command } = registered({});
  // Without a scope the host would not tell who the owner is.
  expect(command).toMatchObject({ name: 'mcp', acceptsArgs: true, requiredScopes: ['operator.write'] });
  for (const other of [{}, { senderIsOwner: false }, { gatewayClientScopes: ['operator.admin'] }])
    expect((await command.handler({ ...SENDER, ...other, args: 'disconnect docs' })).text).toContain(
      'Only the owner',
    );
  expect(hub.changes).toEqual([]);
  await command.handler({ ...SENDER, senderIsOwner: true, args: 'disconnect docs' });
  expect(hub.changes).toEqual([['POST disconnect', { name: 'docs' }]]);
});

test('keeps the tool read-only for any input', async () => {
  verifies('004-8-model-read-only', '004-8-raw-args');
  const { hub, tool } = registered({});
  const textOf = async (params: Record<string, unknown>): Promise<string> =>
    (await tool.execute('id', params)).content[0]!.text;
  expect(await textOf({ command: 'servers' })).toMatch(/^MCP Servers/);
  const typed = { command: 'disconnect docs', commandName: 'mcp', skillName: 'mcp', senderIsOwner: true };
  expect(await textOf(typed)).toContain('Type: /mcp disconnect docs');
  expect(await textOf({ command: 7 })).toContain('/mcp servers');
  expect(hub.changes).toEqual([]);
});

test('explains the missing consent, and says nothing if it is given', async () => {
  const servers = async (config: object): Promise<string> =>
    (await registered(config).command.handler({ ...SENDER, args: 'servers' })).text;
  expect(await servers({})).toContain('openclaw pincer setup');
  const hooks = { allowConversationAccess: true };
  expect(await servers({ plugins: { entries: { 'mcp-client': { hooks } } } })).not.toContain('setup');
});
