import { Client, StreamableHTTPClientTransport, type ClientCapabilities } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../kit/processes.ts';
import type { Era } from '../flags.ts';
import type { EverythingFlags } from './flags.ts';
import { everythingCommand, startEverything, type RunningEverything } from './start.ts';

type Way = [transport: EverythingFlags['transport'], server: Era | 'dual', client: Era];

const TRANSPORTS = ['stdio', 'http'] as const;
const WAYS: Way[] = TRANSPORTS.flatMap((transport): Way[] => [
  [transport, 'legacy', 'legacy'],
  [transport, 'modern', 'modern'],
  [transport, 'dual', 'legacy'],
  [transport, 'dual', 'modern'],
]);

const EVERYTHING: ClientCapabilities = { elicitation: {}, sampling: {}, roots: {} };

interface Connected extends AsyncDisposable {
  client: Client;
  /** The questions the client received, in order. */
  asked: string[];
}

/** An official client that answers questions. Over stdio it starts its own server. */
async function connect(
  [transport, server, era]: Way,
  capabilities = EVERYTHING,
  url = '',
): Promise<Connected> {
  const asked: string[] = [];
  const mode = era === 'modern' ? ({ pin: '2026-07-28' } as const) : 'legacy';
  const client = new Client({ name: 'test', version: '1' }, { capabilities, versionNegotiation: { mode } });
  const answer = (method: string, result: object): void => {
    client.setRequestHandler(method as 'roots/list', () => {
      asked.push(method);
      return result as { roots: [] };
    });
  };
  const content = { name: 'Ada', color: 'blue', context: 'some', ok: true };
  if ('elicitation' in capabilities) answer('elicitation/create', { action: 'accept', content });
  if ('sampling' in capabilities)
    answer('sampling/createMessage', {
      role: 'assistant',
      content: { type: 'text', text: 'Paris' },
      model: 'none',
    });
  if ('roots' in capabilities) answer('roots/list', { roots: [{ uri: 'file:///here' }] });
  client.fallbackRequestHandler = async ({ method }) => {
    asked.push(method);
    throw new Error('not declared');
  };
  const dispose = (): Promise<void> => client.close();
  const target =
    transport === 'stdio'
      ? new StdioClientTransport(everythingCommand(server))
      : new StreamableHTTPClientTransport(new URL(url));
  await client.connect(target).catch(async (error: unknown) => {
    await dispose();
    throw error;
  });
  return { client, asked, [Symbol.asyncDispose]: dispose };
}

const ELICIT = 'elicitation/create';
const SAMPLE = 'sampling/createMessage';
const ROOTS = 'roots/list';

const ASKING: [tool: string, args: Record<string, string>, asked: string[], text: string][] = [
  ['test_sampling', { prompt: 'p' }, [SAMPLE], 'Paris'],
  ['test_elicitation', { message: 'm' }, [ELICIT], 'Ada'],
  ['test_elicitation_sep1034_defaults', {}, [ELICIT], 'accept'],
  ['test_elicitation_sep1330_enums', {}, [ELICIT], 'accept'],
  ['test_input_required_result_elicitation', {}, [ELICIT], 'Hello, Ada!'],
  ['test_input_required_result_sampling', {}, [SAMPLE], 'Paris'],
  ['test_input_required_result_list_roots', {}, [ROOTS], 'file:///here'],
  ['test_input_required_result_request_state', {}, [ELICIT], 'state-ok'],
  ['test_input_required_result_tampered_state', {}, [ELICIT], 'as it was'],
  ['test_input_required_result_multiple_inputs', {}, [ELICIT, ROOTS, SAMPLE], 'Paris'],
  ['test_input_required_result_multi_round', {}, [ELICIT, ELICIT], 'Ada likes blue'],
  ['test_input_required_result_capabilities', {}, [ELICIT, ROOTS, SAMPLE], 'Thank you'],
  ['test_missing_capability', {}, [SAMPLE], 'was asked'],
];

describe.each(WAYS)('the everything-server over %s, %s, with a %s client', (...way) => {
  const [transport, server, era] = way;
  let running: RunningEverything | undefined;
  beforeAll(async () => {
    if (transport === 'http') running = await startEverything(server);
  });
  afterAll(() => running?.[Symbol.asyncDispose]());
  const connectIt = (capabilities = EVERYTHING): Promise<Connected> =>
    connect(way, capabilities, running?.url);

  it('offers what the suite needs', async () => {
    await using connected = await connectIt();
    const { client } = connected;
    expect((await client.listTools()).tools).toHaveLength(server === 'legacy' ? 28 : 35);
    expect((await client.listResources()).resources).toHaveLength(3);
    expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(1);
    expect((await client.listPrompts()).prompts).toHaveLength(5);
  });

  it('asks the client, in one round or more', async () => {
    await using connected = await connectIt();
    const { client, asked } = connected;
    for (const [name, args, expected, text] of ASKING) {
      asked.length = 0;
      const result = await client.callTool({ name, arguments: args });
      expect([name, asked.toSorted(), result.isError ?? false]).toEqual([name, expected, false]);
      expect(JSON.stringify(result.content)).toContain(text);
    }
    const prompt = await client.getPrompt({ name: 'test_input_required_result_prompt' });
    expect(JSON.stringify(prompt.messages)).toContain('some');
  });

  it('asks only for declared capabilities, except with the tool that ignores them', async () => {
    await using connected = await connectIt({ sampling: {} });
    await connected.client.callTool({ name: 'test_input_required_result_capabilities' });
    expect(connected.asked).toEqual([SAMPLE]);

    await using unable = await connectIt({});
    const call = unable.client.callTool({ name: 'test_missing_capability' });
    if (era === 'modern') {
      await expect(call).rejects.toMatchObject({ code: -32_021 });
      expect(unable.asked).toEqual([]);
    } else {
      expect((await call).isError).toBe(true);
      expect(unable.asked).toEqual([SAMPLE]);
    }
  });

  it('announces a changed list, and lists the change', async () => {
    await using connected = await connectIt();
    const { client } = connected;
    const before = (await client.listTools()).tools;
    let notified = 0;
    client.setNotificationHandler('notifications/tools/list_changed', () => void notified++);
    if (era === 'modern') await client.listen({ toolsListChanged: true });
    // The SDK opens a legacy client's HTTP stream in the background, so the first change may be missed.
    const change = async (): Promise<boolean> => {
      await client.callTool({ name: 'test_trigger_tool_change' });
      return eventually(() => notified > 0, 200);
    };
    expect(await eventually(change, transport === 'http' ? 5_000 : 1_000)).toBe(true);
    expect((await client.listTools()).tools).not.toEqual(before);
  });
});

describe.each(TRANSPORTS)('the everything-server over %s', (transport) => {
  it.each([
    ['legacy', 'modern'],
    ['modern', 'legacy'],
  ] as const)('in the %s era alone refuses the %s one', async (server, client) => {
    await using running = transport === 'http' ? await startEverything(server) : undefined;
    await expect(connect([transport, server, client], EVERYTHING, running?.url)).rejects.toThrow();
  });
});
