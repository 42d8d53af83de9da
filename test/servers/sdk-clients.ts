import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernHttp,
} from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as LegacyStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as LegacyHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Era } from './flags.ts';
import { isObject } from './json.ts';

/** A server's URL, or the command of a pipe. */
export type Target = string | { command: string; args: string[]; env?: Record<string, string> };

interface CallOptions {
  signal?: AbortSignal;
  onprogress?: (progress: {
    progress: number;
    total?: number | undefined;
    message?: string | undefined;
  }) => void;
}

/** The official SDK client of an era (v1 for legacy, v2 for modern), reduced to what both support. */
export interface SdkClient extends AsyncDisposable {
  /** The names of all tools, from all pages. */
  listTools(): Promise<string[]>;
  callTool(name: string, args: Record<string, unknown>, options?: CallOptions): Promise<SdkResult>;
  /** Resolves when the server is ready to announce changed tools. */
  onToolsChanged(listener: () => void): Promise<void>;
  close(): Promise<void>;
}

interface SdkResult {
  text: string;
  isError: boolean;
  structured: unknown;
}

const INFO = { name: 'sdk-oracle', version: '1.0.0' };

/** `headers` are sent with every request to a URL. */
export function connectSdk(
  era: Era,
  target: Target,
  headers: Record<string, string> = {},
): Promise<SdkClient> {
  return era === 'modern' ? connectModern(target, headers) : connectLegacy(target, headers);
}

async function connectLegacy(target: Target, headers: Record<string, string>): Promise<SdkClient> {
  let changed = (): void => {};
  const onChanged = () => changed();
  const listChanged = { tools: { autoRefresh: false, debounceMs: 0, onChanged } };
  const client = new LegacyClient(INFO, { listChanged });
  const transport =
    typeof target === 'string'
      ? new LegacyHttp(new URL(target), { requestInit: { headers } })
      : new LegacyStdio({ ...target, stderr: 'ignore' });
  await client.connect(transport);
  return {
    async listTools() {
      const names: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await client.listTools(cursor === undefined ? {} : { cursor });
        names.push(...page.tools.map((tool) => tool.name));
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      return names;
    },
    async callTool(name, args, options) {
      return toResult(await client.callTool({ name, arguments: args }, undefined, options));
    },
    async onToolsChanged(listener) {
      changed = listener;
    },
    close: () => client.close(),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

async function connectModern(target: Target, headers: Record<string, string>): Promise<SdkClient> {
  const client = new ModernClient(INFO, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  const transport =
    typeof target === 'string'
      ? new ModernHttp(new URL(target), { requestInit: { headers } })
      : new ModernStdio({ ...target, stderr: 'ignore' });
  await client.connect(transport);
  return {
    async listTools() {
      const { tools } = await client.listTools();
      return tools.map((tool) => tool.name);
    },
    async callTool(name, args, options) {
      return toResult(await client.callTool({ name, arguments: args }, options));
    },
    async onToolsChanged(listener) {
      client.setNotificationHandler('notifications/tools/list_changed', listener);
      await client.listen({ toolsListChanged: true });
    },
    close: () => client.close(),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

function toResult(result: object): SdkResult {
  const { content, isError, structuredContent } = result as Record<string, unknown>;
  const [block]: unknown[] = Array.isArray(content) ? content : [];
  const text = isObject(block) && typeof block['text'] === 'string' ? block['text'] : '';
  return { text, isError: isError === true, structured: structuredContent };
}
