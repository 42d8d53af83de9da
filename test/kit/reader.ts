/** An official client with its own roots that reads files through the hub. */
import { Client, StreamableHTTPClientTransport, type ClientCapabilities } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { pathToFileURL } from 'node:url';
import type { Era } from '../servers/flags.ts';
import type { TestHub } from './hub.ts';

export interface ReaderOptions {
  era: Era;
  wire: 'http' | 'stdio';
  /** The credential: a token, and a state folder in which `pincer stdio` finds it. */
  token: string;
  home: string;
  roots: string[];
  /** Its capabilities besides roots. */
  capabilities?: ClientCapabilities;
}

export interface Reader extends AsyncDisposable {
  /** The content of the file; undefined if access is denied. */
  read(path: string): Promise<string | undefined>;
  setRoots(roots: string[]): Promise<void>;
  /** How often it was asked for its roots. */
  asked(): number;
}

export async function openReader(hub: TestHub, options: ReaderOptions): Promise<Reader> {
  const { era, wire, token, home, capabilities } = options;
  let { roots } = options;
  let asked = 0;
  const client = new Client(
    { name: 'reader', version: '1' },
    {
      capabilities: { ...capabilities, roots: { listChanged: true } },
      versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' },
    },
  );
  client.setRequestHandler('roots/list', () => {
    asked++;
    return { roots: roots.map((root) => ({ uri: pathToFileURL(root).href })) };
  });
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(
    wire === 'http'
      ? new StreamableHTTPClientTransport(new URL(hub.url), { requestInit: { headers } })
      : new StdioClientTransport({ ...hub.stdioProgram(), env: { PINCER_HOME: home }, stderr: 'ignore' }),
  );
  return {
    async read(path) {
      const result = await client.callTool({ name: 'files__read_text_file', arguments: { path } });
      const [block] = result.content as { text?: string }[];
      if (result.isError !== true) return block?.text;
      if (block?.text?.startsWith('Access denied') !== true) throw new Error(`not a refusal: ${block?.text}`);
      return undefined;
    },
    async setRoots(changed) {
      roots = changed;
      await client.notification({ method: 'notifications/roots/list_changed' });
    },
    asked: () => asked,
    [Symbol.asyncDispose]: () => client.close(),
  };
}
