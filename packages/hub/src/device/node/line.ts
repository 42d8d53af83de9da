/** One connection of the node to its gateway, from the welcome until it closes. */
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
  /** Publishes the tools. Resolves with the commands that the gateway allows. */
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
  /** Called when the approval of this node has changed. */
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
  /** A command may arrive right after the welcome, before `openSocket` has returned. Its answer waits for the socket. */
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

  function onEvent(event: string, payload: unknown): void {
    if (event === 'node.invoke.request') calls.take(payload);
    else if (event === 'node.invoke.cancel') calls.cancel(payload);
    else if (RESOLVED.has(event) && isAbout(payload, identity.id)) onResolved();
  }

  const visitor = { identity, auth, purpose: purposeOf(declared, name), ending };
  const socket = await openSocket(address, visitor, onEvent).catch((error: unknown) => {
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

/** The permissions that OpenClaw shows for a node. A command is declared only if the system permits it. */
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
 * Publishes the tools, and finds out which commands the gateway allows. A gateway does not report that to a node, but it
 * answers a publication with the tools whose command is allowed. So this publishes one probe for each command, and at
 * once replaces the probes with the tools. A busy gateway may handle the two requests in reverse order; it answers in the
 * order in which it handles them. In that case the tools are published again.
 */
async function survey(
  request: Request,
  commands: readonly string[],
  tools: readonly PublishedTool[],
): Promise<readonly string[]> {
  const final = { tools: tools.map(descriptorOf) };
  let isReplaced = false;
  const [answer] = await Promise.all([
    request(UPDATE, { tools: commands.map(probe) }).finally(() => (isReplaced = false)),
    request(UPDATE, final).finally(() => (isReplaced = true)),
  ]);
  if (!isReplaced) await request(UPDATE, final);
  const kept = isRecord(answer) && Array.isArray(answer['tools']) ? answer['tools'].filter(isRecord) : [];
  const usable = new Set(kept.map((tool) => textAt(tool, 'command')));
  return commands.filter((command) => usable.has(command));
}

const probe = (command: string, index: number): object => ({
  pluginId: 'pincer',
  name: `pincer_probe_${index}`,
  description: `Tests whether ${command} is allowed.`,
  command,
});
