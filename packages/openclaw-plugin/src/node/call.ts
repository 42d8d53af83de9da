/** One call that the gateway hands to us, on its way to the hub and back. */
import type { HubClient } from 'pincer/client';
import { credentialName, sharedCredentials } from '../entries/credentials.ts';
import { isPart } from '../config-part.ts';

export interface Invocation {
  readonly id: string;
  readonly nodeId: string;
  readonly command: string;
  readonly paramsJSON?: string | null;
  readonly timeoutMs?: number | null;
}

/** OpenClaw gives a node this long where it does not say. */
const TIMEOUT_MS = 30_000;
/** So that our answer comes before OpenClaw has given up. */
const SPARE_MS = 500;

export interface ToolCall {
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

/** A result of the tool, or why there is none, in the form of one: that is what a model can read. */
export async function callTool(
  hub: HubClient,
  home: string,
  { server, tool, input, timeoutMs }: ToolCall,
): Promise<object> {
  // Not that of an entry: there is none, and so nobody would need it.
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
      'OpenClaw gives a node no more time than this. With toolsVia "mcp-servers" the tool has its own.',
    );
  }
}

/** The answer is alone, or the last of a stream's events. */
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
