/** OpenClaw's requests to the proxy: MCP over HTTP, written byte by byte. */
import type { Era } from '../../servers/flags.ts';
import { messagesIn } from '../http.ts';
import { callText, listText, modernHeaders, parseAnswer, type Answer } from '../messages.ts';
import { OPENCLAW_TOKEN } from './proxy.ts';

export interface McpReply {
  status: number;
  headers: Headers;
  text: string;
  /** The last message in the response. */
  answer: Answer;
}

export interface McpOptions {
  era?: Era;
  id?: string;
  token?: string | undefined;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

export async function postMcp(url: string, body: string, options: McpOptions = {}): Promise<McpReply> {
  const { token = OPENCLAW_TOKEN, headers = {}, signal } = options;
  const response = await fetch(url, {
    method: 'POST',
    redirect: 'manual',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body,
    ...(signal === undefined ? {} : { signal }),
  });
  const text = await response.text();
  const last = messagesIn(text, response.headers.get('content-type') ?? '').at(-1);
  return { status: response.status, headers: response.headers, text, answer: parseAnswer(last ?? '{}') };
}

/** `args` is the text of the arguments, or a value. */
export function callTool(
  url: string,
  tool: string,
  args: string | object = {},
  options: McpOptions = {},
): Promise<McpReply> {
  const { era, id } = options;
  const text = typeof args === 'string' ? args : JSON.stringify(args);
  const own = era === 'modern' ? modernHeaders('tools/call', tool) : {};
  return postMcp(url, callText(tool, { era, id, args: text }), {
    ...options,
    headers: { ...own, ...options.headers },
  });
}

export interface ListedTool {
  name: string;
  description?: string;
  inputSchema: object;
}

export async function listTools(url: string, options: McpOptions = {}): Promise<ListedTool[]> {
  const own = options.era === 'modern' ? modernHeaders('tools/list') : {};
  const { answer, status, text } = await postMcp(url, listText(options.era), {
    ...options,
    headers: { ...own, ...options.headers },
  });
  if (answer.result === undefined) throw new Error(`no tools: ${status} ${text}`);
  return answer.result['tools'] as unknown as ListedTool[];
}
