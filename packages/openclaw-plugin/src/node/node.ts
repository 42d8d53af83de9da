/**
 * The setting `toolsVia: "node"`: the plugin connects to the gateway as one of its nodes and publishes the hub's tools
 * there. They also work outside of conversations. But OpenClaw accepts only 128 tools, allows 30 seconds per call, and a
 * person has to approve the node once.
 */
import {
  ask,
  openGatewaySocket,
  openIdentity,
  PincerError,
  type Credential,
  type GatewaySocket,
  type HubClient,
  type HubStatus,
  type Purpose,
} from 'pincer/client';
import { partAt } from '../host-config.ts';
import type { HostConfig } from '../host.ts';
import { createPauses } from '../hub/keeper.ts';
import { CALL_COMMAND, callTool, describeTools, readCall, type Invocation } from './tools.ts';

const AGAIN_MS = 2_000;

const TOOL_NODE: Purpose = {
  role: 'node',
  client: { id: 'node-host', mode: 'node' },
  scopes: [],
  caps: ['mcp'],
  commands: [CALL_COMMAND],
  // Without a device family. A gateway that has approved the node would ask again for another description.
  machine: { platform: process.platform },
};

interface ToolNodeParts {
  readonly gateway: GatewayAddress;
  readonly home: string;
  hub(): Promise<HubClient>;
  log(message: string): void;
}

export interface ToolNode {
  /** Publishes the current tools of the hub. */
  publish(status: HubStatus): void;
  stop(): void;
}

export function startToolNode({ gateway, home, hub, log }: ToolNodeParts): ToolNode {
  const identity = openIdentity(home, 'tools');
  let socket: GatewaySocket | undefined;
  let newest: HubStatus | undefined;
  let published = '';
  /** The published tools. A client of the gateway can name any tool, so others are refused. */
  let offered: ReadonlySet<string> = new Set();
  let lastLogged = '';
  let work: Promise<void> = Promise.resolve();
  const stopped = new AbortController();

  async function answer(to: GatewaySocket, invocation: Invocation): Promise<void> {
    const { id, nodeId, command } = invocation;
    const result = { id, nodeId };
    try {
      if (command !== CALL_COMMAND) throw new PincerError('USAGE', `Unknown command: "${command}".`);
      const call = readCall(invocation);
      if (!offered.has(nameOf(call))) throw new PincerError('TOOL_UNKNOWN', 'Unknown tool.');
      const payload = await callTool(await hub(), home, call);
      await to.request('node.invoke.result', { ...result, ok: true, payloadJSON: JSON.stringify(payload) });
    } catch (error) {
      const { code, message } = PincerError.from(error);
      await to.request('node.invoke.result', { ...result, ok: false, error: { code, message } });
    }
  }

  async function publishNow(): Promise<void> {
    if (socket === undefined || newest === undefined) return;
    const reports = await ask(await hub(), 'GET tools');
    const { tools, left } = describeTools(newest.servers, reports);
    offered = new Set(tools.map(({ mcp }) => nameOf(mcp)));
    const text = JSON.stringify(tools);
    if (text === published) return;
    await socket.request('node.pluginTools.update', { tools });
    published = text;
    const remarks = left.join(' ');
    if (remarks !== lastLogged && remarks !== '') log(remarks);
    lastLogged = remarks;
  }

  /** Publishes one after the other. The last one has the newest state. */
  function publishSoon(): void {
    work = work.then(publishNow).catch((error: unknown) => {
      log(PincerError.from(error).message);
      // The gateway may refuse while the node is being approved.
      if (!stopped.signal.aborted) setTimeout(publishSoon, AGAIN_MS).unref();
    });
  }

  function connect(): Promise<GatewaySocket> {
    const { url, auth } = gateway;
    // A call may come right behind the response to `connect`.
    const opening: Promise<GatewaySocket> = openGatewaySocket(
      { url, credential: auth, how: 'openclaw.json of this gateway' },
      { identity, auth, purpose: TOOL_NODE, ending: stopped.signal },
      (event, payload) => {
        if (event === 'node.invoke.request')
          void opening.then((from) => answer(from, payload as Invocation)).catch(() => undefined);
      },
    );
    return opening;
  }

  async function stayConnected(): Promise<void> {
    const pauses = createPauses();
    while (!stopped.signal.aborted) {
      try {
        const opened = await connect();
        const close = (): void => opened.close();
        stopped.signal.addEventListener('abort', close);
        if (stopped.signal.aborted) close();
        socket = opened;
        published = '';
        pauses.reset();
        log(APPROVE);
        publishSoon();
        await opened.closed;
        stopped.signal.removeEventListener('abort', close);
      } catch (error) {
        if (!stopped.signal.aborted) log(PincerError.from(error).message);
      }
      socket = undefined;
      if (!stopped.signal.aborted) await pauses.wait();
    }
  }

  void stayConnected();
  return {
    publish(status) {
      newest = status;
      publishSoon();
    },
    stop: () => stopped.abort(),
  };
}

const APPROVE =
  'is connected to the gateway as a node. If its tools are missing, run: openclaw nodes pending, then openclaw nodes approve <id>';

const nameOf = ({ server, tool }: { readonly server: string; readonly tool: string }): string =>
  JSON.stringify([server, tool]);

export interface GatewayAddress {
  readonly url: string;
  /** Undefined if the gateway needs none. */
  readonly auth: Credential | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

const DEFAULT_PORT = 18_789;

/** The address of the gateway that this plugin runs in, from its arguments, environment and configuration. */
export function gatewayAddress(
  config: HostConfig,
  env: Environment,
  argv: readonly string[],
): GatewayAddress {
  const gateway = partAt(config, 'gateway');
  if (partAt(gateway, 'tls')?.['enabled'] === true) throw cannot('its gateway speaks TLS');
  const port =
    portIn(argv) || Number(env['OPENCLAW_GATEWAY_PORT']) || Number(gateway?.['port']) || DEFAULT_PORT;
  return { url: `ws://127.0.0.1:${port}`, auth: authOf(partAt(gateway, 'auth') ?? {}, env) };
}

function portIn(argv: readonly string[]): number {
  const at = argv.indexOf('--port');
  const text =
    at < 0 ? argv.find((each) => each.startsWith('--port='))?.slice('--port='.length) : argv[at + 1];
  return Number(text ?? 0);
}

function authOf(auth: Readonly<Record<string, unknown>>, env: Environment): Credential | undefined {
  const token = env['OPENCLAW_GATEWAY_TOKEN'] || auth['token'];
  const password = env['OPENCLAW_GATEWAY_PASSWORD'] || auth['password'];
  if (auth['mode'] === 'none') return undefined;
  if (auth['mode'] !== 'password' && typeof token === 'string') return { token };
  if (typeof password === 'string') return { password };
  throw cannot('its gateway has neither a token nor a password');
}

const cannot = (why: string): PincerError =>
  new PincerError('USAGE', `OpenClaw cannot get the tools through a node: ${why}.`, {
    hint: 'Set toolsVia to "mcp-servers", or remove it.',
  });
