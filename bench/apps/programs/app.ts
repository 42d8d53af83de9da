/** An app: a plain `ws` client that answers each call at once with its arguments. */
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { obeyParent } from '../child.ts';
import { registerSession } from '../register.ts';
import { toolsOf } from '../tools.ts';

export type AppCommand =
  | { dialect: 'bridge'; baseUrl: string; token: string }
  /** The browser's side of webmcp-local-relay, with the protocol of its widget. */
  | { dialect: 'webmcp'; url: string };

export interface AppAnswer {
  /** The address for calls of the app's tools; undefined if it is the same for all apps. */
  mcpUrl: string | undefined;
}

interface Frame {
  type: string;
  mcpSessionId?: string;
  request_id?: string;
  arguments?: { text: string };
  callId?: string;
  args?: { text: string };
}

function inBridgeDialect({ type, mcpSessionId, request_id, arguments: args }: Frame): object | undefined {
  if (type === 'ping') return { type: 'pong' };
  if (type !== 'invoke_tool') return undefined;
  const content = { echoed_text: args?.text };
  return { type: 'invoke_result', mcpSessionId, request_id, ok: true, content };
}

function inWebMcp({ type, callId, args }: Frame): object | undefined {
  if (type === 'ping') return { type: 'pong' };
  if (type !== 'invoke') return undefined;
  const structuredContent = { echoed_text: args?.text };
  const content = [{ type: 'text', text: JSON.stringify(structuredContent) }];
  return { type: 'result', callId, result: { content, structuredContent } };
}

async function connect(socket: WebSocket, answerTo: (frame: Frame) => object | undefined): Promise<void> {
  socket.on('message', (data: Buffer) => {
    const answer = answerTo(JSON.parse(data.toString()) as Frame);
    if (answer !== undefined) socket.send(JSON.stringify(answer));
  });
  await once(socket, 'open');
  // From then on calls fail, and the load process counts them.
  socket.on('close', () => process.exit(0));
}

obeyParent(async (command: AppCommand): Promise<AppAnswer> => {
  if (command.dialect === 'webmcp') {
    const socket = new WebSocket(command.url, 'webmcp.v1', { perMessageDeflate: false });
    await connect(socket, inWebMcp);
    const origin = 'http://app.example';
    socket.send(JSON.stringify({ type: 'hello', tabId: 'bench', origin, url: origin, title: 'bench' }));
    const tools = toolsOf().map(({ input_schema: inputSchema, name, description }) => ({
      name,
      description,
      inputSchema,
    }));
    socket.send(JSON.stringify({ type: 'tools/list', tools }));
    return { mcpUrl: undefined };
  }
  const { baseUrl, token } = command;
  const session = await registerSession({ baseUrl, token, tools: toolsOf() });
  const headers = { authorization: `Bearer ${token}` };
  await connect(new WebSocket(session.bridgeUrl, { headers, perMessageDeflate: false }), inBridgeDialect);
  return { mcpUrl: session.mcpUrl };
});
