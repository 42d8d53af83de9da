/** One connection of the node to its gateway, from the welcome to the end. */
import { isRecord, textAt } from '../../lib/record.ts';
import type { GatewayAddress } from '../../openclaw/find.ts';
import type { ConnectAuth, Hello, Purpose } from '../../openclaw/handshake.ts';
import { openSocket, type GatewaySocket } from '../../openclaw/socket.ts';
import { createNodeCalls } from './calls.ts';
import type { AgentRequest, Declared, GatewayNodeParts, PublishedTool } from './parts.ts';
import { descriptorOf } from './declared.ts';

export interface Line {
  readonly hello: Hello;
  readonly address: GatewayAddress;
  readonly declared: Declared;
  /** Publishes the tools. Resolves with the commands that may be used. */
  publish(tools: readonly PublishedTool[]): Promise<readonly string[]>;
  sendAction(request: AgentRequest): Promise<boolean>;
  readonly closed: Promise<unknown>;
  close(): void;
}

export interface LineParts {
  readonly node: Pick<GatewayNodeParts, 'identity' | 'log' | 'limits' | 'invoke' | 'name'>;
  readonly address: GatewayAddress;
  readonly declared: Declared;
  readonly auth: ConnectAuth;
  readonly ending: AbortSignal;
  /** The approval of this node has changed. */
  onResolved(): void;
}

export async function openLine({
  node,
  address,
  declared,
  auth,
  ending,
  onResolved,
}: LineParts): Promise<Line> {
  const { identity, log, limits, invoke, name } = node;
  /** A command may come right behind the welcome, before `openSocket` has returned: its answer waits for that. */
  const opened = Promise.withResolvers<GatewaySocket>();
  opened.promise.catch(() => undefined);
  const request = async (method: string, params: object): Promise<unknown> =>
    (await opened.promise).request(method, params);
  const calls = createNodeCalls({
    nodeId: identity.id,
    maxCalls: limits.maxNodeCalls,
    log,
    isDeclared: (command) => declared.commands.includes(command),
    invoke,
    request,
  });

  function hear(event: string, payload: unknown): void {
    if (event === 'node.invoke.request') calls.take(payload);
    else if (event === 'node.invoke.cancel') calls.cancel(payload);
    else if (RESOLVED.has(event) && isAbout(payload, identity.id)) onResolved();
  }

  const visitor = { identity, auth, purpose: purposeOf(declared, name), ending };
  const socket = await openSocket(address, visitor, hear).catch((error: unknown) => {
    opened.reject(error);
    throw error;
  });
  opened.resolve(socket);
  ending.addEventListener('abort', socket.close);
  return {
    hello: socket.hello,
    address,
    declared,
    publish: (tools) => survey(request, declared.commands, tools),
    async sendAction(action) {
      const payload = { thinking: 'low', deliver: false, ...action };
      const sent = request('node.event', { event: 'agent.request', payloadJSON: JSON.stringify(payload) });
      return sent.then(
        () => true,
        () => false,
      );
    },
    closed: socket.closed.then(() => {
      ending.removeEventListener('abort', socket.close);
      calls.end();
    }),
    close: socket.close,
  };
}

const purposeOf = ({ caps, commands }: Declared, displayName: string | undefined): Purpose => ({
  role: 'node',
  client: { id: 'node-host', mode: 'node' },
  displayName,
  scopes: [],
  caps,
  commands,
  permissions: permissionsFor(commands),
});

/** What OpenClaw shows as a node's permissions. A command is declared only where the system permits it. */
const permissionsFor = (commands: readonly string[]): Readonly<Record<string, boolean>> => ({
  'camera.capture': commands.includes('camera.snap'),
  'screen.record': commands.includes('screen.record'),
});

const RESOLVED: ReadonlySet<string> = new Set(['node.pair.resolved', 'device.pair.resolved']);

const isAbout = (payload: unknown, id: string): boolean =>
  isRecord(payload) && (payload['nodeId'] === id || payload['deviceId'] === id);

type Request = (method: string, params: object) => Promise<unknown>;

const UPDATE = 'node.pluginTools.update';

/**
 * Which commands the gateway lets people and agents use. A node is not told; but of tools that it publishes the
 * gateway answers with those whose command may be used. So one tool for each command is published, and at once
 * replaced by those that are meant. A busy gateway may take the two requests in the other order; it answers them
 * in the order in which it took them.
 */
async function survey(
  request: Request,
  commands: readonly string[],
  tools: readonly PublishedTool[],
): Promise<readonly string[]> {
  const meant = { tools: tools.map(descriptorOf) };
  let isReplaced = false;
  const [answer] = await Promise.all([
    request(UPDATE, { tools: commands.map(probe) }).finally(() => (isReplaced = false)),
    request(UPDATE, meant).finally(() => (isReplaced = true)),
  ]);
  if (!isReplaced) await request(UPDATE, meant);
  const kept = isRecord(answer) && Array.isArray(answer['tools']) ? answer['tools'].filter(isRecord) : [];
  const usable = new Set(kept.map((tool) => textAt(tool, 'command')));
  return commands.filter((command) => usable.has(command));
}

const probe = (command: string, index: number): object => ({
  pluginId: 'pincer',
  name: `pincer_probe_${index}`,
  description: `Whether ${command} may be used.`,
  command,
});
