/** A hub on a temporary state folder, with the requests that the benchmark needs. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../process/folders.ts';
import { endProcesses, startProcess } from '../process/running.ts';
import { PINCER_PROGRAM, readToken, waitForHub } from '../subjects/pincer-home.ts';

export interface ListedTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: object;
}

export interface Hub extends AsyncDisposable {
  tools(): Promise<readonly ListedTool[]>;
  /** Returns the text of the answer. Throws on an error. */
  call(name: string, args: object): Promise<string>;
}

const START_TIMEOUT_MS = 60_000;

export async function startHub(
  servers: Readonly<Record<string, object>>,
  toolSurface: 'full' | 'search',
): Promise<Hub> {
  const folder = temporaryFolder(toolSurface);
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ servers, toolSurface }));
  const { pid } = await startProcess({
    command: process.execPath,
    args: [PINCER_PROGRAM, 'up', '--port', '0'],
    folder,
    env: { PINCER_HOME: folder },
  });
  const { endpoints } = await waitForHub(folder, START_TIMEOUT_MS);
  const headers = {
    authorization: `Bearer ${readToken(folder)}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  async function ask<T>(method: string, params: object): Promise<T> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const response = await fetch(endpoints.mcp, { method: 'POST', headers, body });
    const answer = (await response.json()) as { result?: T; error?: unknown };
    if (answer.result === undefined) throw new Error(`${method}: ${JSON.stringify(answer.error)}`);
    return answer.result;
  }
  return {
    tools: async () => (await ask<{ tools: ListedTool[] }>('tools/list', {})).tools,
    async call(name, args) {
      const { content, isError } = await ask<CallResult>('tools/call', { name, arguments: args });
      const text = content.map((block) => block.text ?? '').join('\n');
      if (isError === true) throw new Error(`${name}: ${text}`);
      return text;
    },
    [Symbol.asyncDispose]: () => endProcesses([pid]),
  };
}

interface CallResult {
  readonly content: readonly { readonly text?: string }[];
  readonly isError?: boolean;
}
