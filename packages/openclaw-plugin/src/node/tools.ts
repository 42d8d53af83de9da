/** The hub's tools as a node publishes them within OpenClaw's limits, and how calls of them are run. */
import type { ServerReport, ToolReport, HubClient } from 'pincer/client';

import { credentialName, sharedCredentials } from '../entries/credentials.ts';
import { isPart } from '../host-config.ts';

/** The one command of the node. OpenClaw allows it once a person has approved the node. */
export const CALL_COMMAND = 'mcp.tools.call.v1';

interface Descriptor {
  readonly pluginId: string;
  readonly name: string;
  readonly description: string;
  readonly parameters: object;
  readonly command: string;
  readonly mcp: { readonly server: string; readonly tool: string };
}

interface Published {
  readonly tools: readonly Descriptor[];
  /** Why tools are left out. */
  readonly left: readonly string[];
}

/** OpenClaw silently drops the rest of a longer list. */
export const MAX_TOOLS = 128;
const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
const MAX_DESCRIPTION = 1_024;
/** OpenClaw's id for servers behind nodes. */
const PLUGIN_ID = 'node-mcp';

export function describeTools(servers: readonly ServerReport[], tools: readonly ToolReport[]): Published {
  const withheld = new Map(servers.flatMap(({ name, ...report }) => reasonOf(name, report) ?? []));
  const offered = tools.filter(({ server }) => !withheld.has(server));
  const named = offered.filter(({ exposed }) => exposed !== undefined && NAME.test(exposed));
  const odd = offered.length - named.length;
  const rest = named.length - MAX_TOOLS;
  return {
    tools: named.slice(0, MAX_TOOLS).map(describe),
    left: [
      ...withheld.values(),
      ...(odd > 0 ? [`${odd} tools are left out: OpenClaw does not accept their names from a node.`] : []),
      ...(rest > 0 ? [`${rest} tools are left out: the limit for a node is ${MAX_TOOLS}.`] : []),
    ],
  };
}

/** A call through a node does not name its caller. */
function reasonOf(
  name: string,
  { agents, auth }: Pick<ServerReport, 'agents' | 'auth'>,
): [string, string][] | undefined {
  if (agents !== undefined)
    return [
      [name, `"${name}" is left out: it is for some agents only, and a node cannot tell agents apart.`],
    ];
  if (auth?.isPerCaller !== true) return undefined;
  return [[name, `"${name}" is left out: each person signs in to it, and a node cannot tell who calls.`]];
}

const describe = ({ server, name, exposed, definition }: ToolReport): Descriptor => ({
  pluginId: PLUGIN_ID,
  name: exposed!,
  description: (textIn(definition.description) || `${name} of ${server}.`).slice(0, MAX_DESCRIPTION),
  parameters: isObject(definition.inputSchema) ? definition.inputSchema : { type: 'object' },
  command: CALL_COMMAND,
  mcp: { server, tool: name },
});

/** Definitions come from servers: an invalid one must not affect the tools of others. */
const textIn = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

export interface Invocation {
  readonly id: string;
  readonly nodeId: string;
  readonly command: string;
  readonly paramsJSON?: string | null;
  readonly timeoutMs?: number | null;
}

/** OpenClaw's default timeout for a node. */
const TIMEOUT_MS = 30_000;
/** Answers this much earlier than OpenClaw's timeout. */
const SPARE_MS = 500;

interface ToolCall {
  readonly server: string;
  readonly tool: string;
  readonly input: object;
  readonly timeoutMs: number;
}

export function readCall({ paramsJSON, timeoutMs }: Invocation): ToolCall {
  const {
    server = '',
    tool = '',
    arguments: input = {},
  } = JSON.parse(paramsJSON ?? '{}') as { server?: string; tool?: string; arguments?: object };
  return { server, tool, input, timeoutMs: timeoutMs ?? TIMEOUT_MS };
}

/** Returns the tool's result. Errors are returned as results as well, so that the model can read them. */
export async function callTool(
  hub: HubClient,
  home: string,
  { server, tool, input, timeoutMs }: ToolCall,
): Promise<object> {
  // The node has its own credential, because the credential of an entry is revoked with the entry.
  const credential = { name: `${credentialName(server)}:node`, server };
  const token = await sharedCredentials(home).tokenFor(hub, credential);
  const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: input } };
  try {
    const response = await fetch(`${hub.hubFile.endpoints.mcp}/${encodeURIComponent(server)}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
      },
      body: JSON.stringify(request),
      signal: AbortSignal.timeout(Math.max(0, timeoutMs - SPARE_MS)),
    });
    return readAnswer(await response.text()) ?? failed(`The hub answered with status ${response.status}.`);
  } catch (error) {
    if ((error as Error).name !== 'TimeoutError') throw error;
    return failed(
      'The call took longer than OpenClaw allows a node. Set toolsVia to "mcp-servers" for a longer timeout.',
    );
  }
}

/** Reads a plain JSON response, or the last event of a stream. */
export function readAnswer(text: string): object | undefined {
  const answers = [
    text,
    ...text.split('\n').flatMap((line) => (line.startsWith('data:') ? line.slice(5) : [])),
  ];
  for (const each of answers.toReversed()) {
    const answer = parse(each);
    if (isPart(answer?.['result'])) return answer['result'];
    if (isPart(answer?.['error'])) return failed(String(answer['error']['message']));
  }
  return undefined;
}

function parse(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isPart(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const failed = (message: string): object => ({ content: [{ type: 'text', text: message }], isError: true });
