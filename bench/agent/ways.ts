/** Three ways to reach an agent of the same gateway: its own socket, `pincer mcp-server`, and a hub's `/mcp`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectGateway } from '../../test/kit/openclaw/socket.ts';
import { TOKEN } from '../../test/kit/openclaw/profile.ts';
import { connectSdk, type SdkClient } from '../../test/servers/sdk-clients.ts';
import { temporaryFolder } from '../process/folders.ts';
import { cleanEnv, endProcesses, startProcess } from '../process/running.ts';
import { PINCER_PROGRAM, readToken, waitForHub } from '../subjects/pincer-home.ts';

export type WayName = 'gateway' | 'mcp-server' | '/mcp';

export interface Way extends AsyncDisposable {
  name: WayName;
  /** Sends a message in a new conversation. Returns the whole answer. */
  order(message: string): Promise<string>;
}

const START_TIMEOUT_MS = 60_000;

/** Like any program that knows the gateway's protocol. */
export async function straightWay(gatewayUrl: string): Promise<Way> {
  const socket = await connectGateway(gatewayUrl);
  return {
    name: 'gateway',
    async order(message) {
      const runId = crypto.randomUUID();
      const ended = Promise.withResolvers<string>();
      const off = socket.onEvent(({ event, payload }) => {
        if (event !== 'chat' || payload['runId'] !== runId) return;
        const { state } = payload;
        if (state === 'final')
          ended.resolve((payload['message'] as ChatMessage | undefined)?.content[0]?.text ?? '');
        else if (state === 'error' || state === 'aborted') ended.reject(new Error(JSON.stringify(payload)));
      });
      try {
        await socket.rpc('chat.send', {
          sessionKey: `agent:main:${runId}`,
          message,
          idempotencyKey: runId,
          suppressCommandInterpretation: true,
        });
        return await ended.promise;
      } finally {
        off();
      }
    },
    [Symbol.asyncDispose]: () => socket[Symbol.asyncDispose](),
  };
}

interface ChatMessage {
  content: { text?: string }[];
}

const overSdk = (name: WayName, client: SdkClient, end = async () => {}): Way => ({
  name,
  async order(message) {
    const { text, isError } = await client.callTool('order_openclaw', { message });
    if (isError) throw new Error(text);
    return text;
  },
  async [Symbol.asyncDispose]() {
    await client.close();
    await end();
  },
});

/** A home folder whose configuration names the gateway, and the environment for it. */
function newHome(name: string, gatewayUrl: string): { folder: string; env: Record<string, string> } {
  const folder = temporaryFolder(name);
  const agent = { gatewayUrl: gatewayUrl.replace(/^http/, 'ws') };
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ agent }), { mode: 0o600 });
  return { folder, env: { PINCER_HOME: folder, PINCER_KEYCHAIN: 'off', OPENCLAW_GATEWAY_TOKEN: TOKEN } };
}

export async function pipeWay(gatewayUrl: string): Promise<Way> {
  const { folder, env } = newHome('mcp-server', gatewayUrl);
  const args = [PINCER_PROGRAM, 'mcp-server'];
  const client = await connectSdk('legacy', { command: process.execPath, args, env: cleanEnv(folder, env) });
  return overSdk('mcp-server', client);
}

export async function hubWay(gatewayUrl: string): Promise<Way> {
  const { folder, env } = newHome('hub', gatewayUrl);
  const args = [PINCER_PROGRAM, 'up', '--port', '0'];
  const { pid } = await startProcess({ command: process.execPath, args, folder, env });
  const { endpoints } = await waitForHub(folder, START_TIMEOUT_MS);
  const client = await connectSdk('legacy', endpoints.mcp, {
    authorization: `Bearer ${readToken(folder)}`,
  });
  return overSdk('/mcp', client, () => endProcesses([pid]));
}
