/** Claude Code lists and calls tools through the hub; its model is scripted on loopback. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ASKING } from '../clients/asking.ts';
import { ECHO, HEARD, SAID, startEverythingHub, type EverythingHub } from '../clients/everything-hub.ts';
import { makeHome, type Home } from '../clients/home.ts';
import { INSTALL_MS } from '../clients/install.ts';
import { PROGRAMS } from '../clients/programs.ts';
import { claudeTurn, inClaude } from '../kit/claude-turn.ts';

const CALL_ECHO = { name: inClaude(ECHO), input: { message: SAID } };

let hub: EverythingHub;

beforeAll(async () => {
  hub = await startEverythingHub({ asks: ASKING });
}, INSTALL_MS + 60_000);

afterAll(() => hub?.[Symbol.asyncDispose]());

describe('claude mcp', () => {
  const claudeMcp =
    (home: Home) =>
    (...args: string[]) =>
      home.run(process.execPath, [PROGRAMS.claude, 'mcp', ...args]);

  it('connects over HTTP, but not with a wrong token', async () => {
    using home = makeHome();
    const claude = claudeMcp(home);
    await claude('add', '--transport', 'http', 'pincer', hub.url, '--header', hub.bearer);
    await claude('add', '--transport', 'http', 'stranger', hub.url, '--header', 'Authorization: Bearer no');
    const listed = await claude('list');
    expect(listed).toContain(`pincer: ${hub.url} (HTTP) - ✔ Connected`);
    expect(listed).toContain(`stranger: ${hub.url} (HTTP) - ✘ Failed to connect`);
  });

  it('connects over stdio', async () => {
    using home = makeHome();
    const claude = claudeMcp(home);
    const { command, args } = hub.pipe;
    await claude('add', 'pincer', '--env', `PINCER_HOME=${hub.home}`, '--', command, ...args);
    expect(await claude('list')).toContain(`pincer: ${[command, ...args].join(' ')} - ✔ Connected`);
  });
});

describe('a turn of Claude Code', () => {
  const http = (): object => ({ type: 'http', ...hub.http });

  it.each([
    ['HTTP', http],
    ['stdio', () => ({ type: 'stdio', ...hub.pipe })],
  ])('over %s offers the tools to its model and calls one', async (_transport, entry) => {
    const { printed, model } = await claudeTurn({ entry: entry(), calls: [CALL_ECHO] });
    expect(printed).toContain(HEARD);
    const prefix = inClaude('everything__');
    const offered = [...model.offered].filter((name) => name.startsWith(prefix)).sort();
    expect(offered).toEqual(hub.tools.map(inClaude));
  });

  it('finds a tool by searching, as it does with many tools', async () => {
    const find = { name: 'ToolSearch', input: { query: `select:${CALL_ECHO.name}` } };
    const { printed, model } = await claudeTurn({ entry: http(), calls: [find, CALL_ECHO], search: true });
    expect(printed).toContain(HEARD);
    expect(model.results).toHaveLength(2);
  });

  it("answers a server's question by declining, because no person is present", async () => {
    const ask = { name: inClaude('asks__test_elicitation'), input: { message: 'Who are you?' } };
    const { printed } = await claudeTurn({ entry: http(), calls: [ask] });
    expect(printed).toContain('action=cancel');
  });
});
