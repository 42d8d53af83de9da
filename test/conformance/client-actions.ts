/** What a client does in each of the suite's client scenarios. */
import type { Client } from '@modelcontextprotocol/client';

interface ToolCall {
  name: string;
  arguments: Record<string, unknown>;
}

type Action = (client: Client, context: { toolCalls?: ToolCall[] }) => Promise<unknown>;

export async function performScenario(scenario: string, client: Client, context: object): Promise<void> {
  const action = ACTIONS[scenario];
  if (action === undefined) throw new Error(`no action for the scenario ${scenario}`);
  await action(client, context);
}

const list: Action = (client) => client.listTools();

const call =
  (name: string, args: Record<string, unknown> = {}): Action =>
  async (client) => {
    await client.listTools();
    await client.callTool({ name, arguments: args });
  };

const ACTIONS: Readonly<Record<string, Action>> = {
  initialize: list,
  'request-metadata': list,
  'json-schema-ref-no-deref': list,
  tools_call: call('add_numbers', { a: 5, b: 3 }),
  'elicitation-sep1034-client-defaults': call('test_client_elicitation_defaults'),
  'sse-retry': call('test_reconnection'),
  async 'sep-2322-client-request-state'(client) {
    await client.listTools();
    for (const name of ['echo_state', 'no_state', 'unrelated', 'no_result_type'])
      await client.callTool({ name: `test_mrtr_${name}`, arguments: {} });
  },
  async 'http-standard-headers'(client) {
    const { tools } = await client.listTools();
    await client.callTool({ name: first(tools).name, arguments: {} });
    const { resources } = await client.listResources();
    await client.readResource({ uri: first(resources).uri });
    const { prompts } = await client.listPrompts();
    await client.getPrompt({ name: first(prompts).name });
  },
  async 'http-custom-headers'(client, { toolCalls = [] }) {
    await client.listTools();
    for (const toolCall of toolCalls) await client.callTool(toolCall);
  },
  // Past the SDK client, which would leave out the wrong tools by itself: that is to be done behind us.
  async 'http-invalid-tool-headers'(client) {
    for (const { name } of await rawTools(client)) {
      const region = 'us-west1';
      await client.request({ method: 'tools/call', params: { name, arguments: { region } } }, ANYTHING, {
        headers: { 'Mcp-Param-Region': region },
      });
    }
  },
  async 'json-schema-2020-12-preservation'(client) {
    const tools = await rawTools(client);
    const named = tools.find(({ name }) => name === 'json_schema_2020_12_tool');
    await client.callTool({ name: 'json_schema_echo', arguments: { schema: named?.inputSchema } });
  },
};

async function rawTools(client: Client): Promise<{ name: string; inputSchema: object }[]> {
  const result = await client.request({ method: 'tools/list', params: {} }, ANYTHING);
  return (result as { tools: { name: string; inputSchema: object }[] }).tools;
}

function first<T>(items: T[]): T {
  if (items[0] === undefined) throw new Error('the hub lists nothing');
  return items[0];
}

/** Takes every result as it is. */
const ANYTHING = {
  '~standard': {
    version: 1 as const,
    vendor: 'pincer',
    validate: (value: unknown) => ({ value }),
  },
};
