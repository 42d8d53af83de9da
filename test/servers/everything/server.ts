import {
  CLIENT_CAPABILITIES_META_KEY,
  fromJsonSchema,
  McpServer,
  type ClientCapabilities,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { callTool } from './call-tool.ts';
import { addPrompts, describeSimplePrompt } from './prompts.ts';
import { addResources } from './resources.ts';
import type { EverythingState, Listing } from './state.ts';
import { TASKS } from './tasks/extension.ts';
import { addTaskMethods } from './tasks/methods.ts';
import { taskTools } from './tasks/tools.ts';
import { objectOf, type EverythingTool } from './tool.ts';
import { describeToolChanger, TOOL_CHANGER } from './tools/changing.ts';
import { coreTools } from './tools/core.ts';

export interface Everything {
  server: McpServer;
  /** Applies a change of a list and notifies this connection's client. */
  refresh(listing: Listing): void;
}

const COMPLETIONS = ['test', 'testing', 'tested'];

/** Creates a server for one connection, or for one request if the transport has no connections. */
export function createEverything(state: EverythingState, era: 'legacy' | 'modern'): Everything {
  const server = new McpServer(
    { name: 'everything', version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        logging: {},
        completions: {},
        ...(era === 'modern' ? { extensions: { [TASKS]: {} } } : {}),
      },
      instructions: 'Has what the conformance suite asks for.',
      requestState: { verify: state.codec.verify },
    },
  );
  const capabilitiesIn = (ctx: ServerContext): ClientCapabilities => capabilitiesOf(server, ctx);
  const tools = new Map(
    [...coreTools, ...(state.hasTasks ? taskTools : [])].map((tool) => {
      // Listed by the SDK, but called by our own handler below.
      const registered = server.registerTool(tool.name, described(tool, state), () => ({ content: [] }));
      return [tool.name, { tool, registered }];
    }),
  );
  server.server.setRequestHandler('tools/call', ({ params }, ctx) => {
    const { name, arguments: args = {} } = params;
    const capabilities = capabilitiesIn(ctx);
    return callTool(name, tools.get(name)?.tool, { args, ctx, state, era, capabilities });
  });
  addResources(server);
  const simplePrompt = addPrompts(server, state);
  server.server.setRequestHandler('completion/complete', ({ params }) => {
    const values = COMPLETIONS.filter((word) => word.startsWith(params.argument.value));
    return { completion: { values, total: values.length, hasMore: false } };
  });
  if (era === 'modern') addTaskMethods(server, state, capabilitiesIn);
  return {
    server,
    refresh(listing) {
      if (listing === 'tools')
        tools.get(TOOL_CHANGER)?.registered.update({ description: describeToolChanger(state) });
      else simplePrompt.update({ description: describeSimplePrompt(state) });
    },
  };
}

function described(tool: EverythingTool, state: EverythingState) {
  const { description, inputSchema = objectOf({}) } = tool;
  return {
    description: typeof description === 'string' ? description : description(state),
    inputSchema: fromJsonSchema<Record<string, unknown>>(inputSchema),
  };
}

/** The client's declared capabilities: with each request in the modern era, once in the legacy era. */
function capabilitiesOf({ server }: McpServer, { mcpReq }: ServerContext): ClientCapabilities {
  const envelope = mcpReq.envelope as Record<string, ClientCapabilities | undefined> | undefined;
  // oxlint-disable-next-line typescript/no-deprecated -- the only way in the legacy era
  return envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities() ?? {};
}
