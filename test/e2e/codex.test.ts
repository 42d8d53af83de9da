/** Codex lists and calls tools through the hub; its model is scripted on loopback. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ASKING } from '../clients/asking.ts';
import { startCodexAppServer } from '../clients/codex-app-server.ts';
import {
  ECHO,
  HEARD,
  HEARD_RESULT,
  SAID,
  startEverythingHub,
  type EverythingHub,
} from '../clients/everything-hub.ts';
import { makeHome, type Home } from '../clients/home.ts';
import { INSTALL_MS } from '../clients/install.ts';
import { PROGRAMS } from '../clients/programs.ts';
import { startModelEndpoint, type ModelEndpoint, type ToolUse } from '../kit/model-endpoint.ts';
import { RESPONSES_API } from '../kit/models/responses-api.ts';

let hub: EverythingHub;

beforeAll(async () => {
  hub = await startEverythingHub({ asks: ASKING });
}, INSTALL_MS + 60_000);

afterAll(() => hub?.[Symbol.asyncDispose]());

const codex = (home: Home, ...args: string[]): Promise<string> =>
  home.run(process.execPath, [PROGRAMS.codex, ...args], { PINCER_TOKEN: hub.token });

const addHttp = (home: Home): Promise<string> =>
  codex(home, 'mcp', 'add', 'pincer', '--url', hub.url, '--bearer-token-env-var', 'PINCER_TOKEN');

const addPipe = (home: Home): Promise<string> =>
  codex(
    home,
    'mcp',
    'add',
    'pincer',
    `--env=PINCER_HOME=${hub.home}`,
    '--',
    hub.pipe.command,
    ...hub.pipe.args,
  );

it('Codex stores the server, lists and calls', async () => {
  using home = makeHome();
  await addHttp(home);
  expect(await codex(home, 'mcp', 'list')).toMatch(
    new RegExp(`^pincer +${hub.url} +PINCER_TOKEN +enabled`, 'm'),
  );
  await using server = await startCodexAppServer(home, { PINCER_TOKEN: hub.token });
  const { data } = (await server.ask('mcpServerStatus/list', {})) as { data: { tools: object }[] };
  const names = data.flatMap(({ tools }) => Object.keys(tools));
  expect(names.filter((name) => name.startsWith('everything__')).sort()).toEqual(hub.tools);
  const { thread } = (await server.ask('thread/start', { ephemeral: true })) as { thread: { id: string } };
  const call = { threadId: thread.id, server: 'pincer', tool: ECHO, arguments: { message: SAID } };
  expect(await server.ask('mcpServer/tool/call', call)).toEqual(HEARD_RESULT);
});

/** Otherwise Codex looks for plugins on the network. */
const OFFLINE = ['plugins', 'apps', 'shell_snapshot'].map((feature) => `--disable=${feature}`);

/** Runs a whole turn without a person and returns the model's last message. */
async function turn(
  home: Home,
  call: ToolUse,
  ...more: string[]
): Promise<{ printed: string; model: ModelEndpoint }> {
  await using model = await startModelEndpoint(RESPONSES_API, [
    { ...call, name: `mcp__pincer.${call.name}` },
  ]);
  const provider = `{name="scripted",base_url="${model.url}/v1",wire_api="responses",stream_max_retries=0}`;
  const settings = ['model="scripted"', 'model_provider="scripted"', `model_providers.scripted=${provider}`];
  const args = [...OFFLINE, ...[...settings, ...more].map((setting) => `--config=${setting}`)];
  return { printed: await codex(home, 'exec', '--skip-git-repo-check', ...args, 'say it'), model };
}

describe('a turn of Codex', () => {
  it.each([
    ['HTTP', addHttp],
    ['stdio', addPipe],
  ])('over %s offers the tools to its model and calls one', async (_transport, add) => {
    using home = makeHome();
    await add(home);
    const { printed, model } = await turn(home, { name: ECHO, input: { message: SAID } });
    expect(printed).toContain(HEARD);
    const prefix = 'mcp__pincer.everything__';
    const offered = [...model.offered].filter((name) => name.startsWith(prefix)).sort();
    // Codex replaces dashes in tool names.
    expect(offered).toEqual(hub.tools.map((name) => `mcp__pincer.${name.replaceAll('-', '_')}`).sort());
  });

  it("answers a server's question by declining", async () => {
    using home = makeHome();
    await addHttp(home);
    const ask = { name: 'asks__test_elicitation', input: { message: 'Who are you?' } };
    const { printed } = await turn(home, ask, 'mcp_servers.pincer.default_tools_approval_mode="approve"');
    expect(printed).toContain('action=decline');
  });
});
