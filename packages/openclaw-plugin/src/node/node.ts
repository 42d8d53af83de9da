/**
 * The other way into OpenClaw, by setting `toolsVia: "node"`: Pincer connects to the gateway as one of its nodes and
 * publishes its tools there. They can then be used outside of conversations, too; but OpenClaw takes 128 of them, gives a
 * call 30 seconds, and a person has to approve the node once.
 */
import { ask, openIdentity, PincerError, type HubClient, type HubStatus } from 'pincer/client';
import { createPauses } from '../pauses.ts';
import { callTool, readCall, type Invocation } from './call.ts';
import { describeTools } from './descriptors.ts';
import type { GatewayAddress } from './gateway.ts';
import { CALL_COMMAND } from './handshake.ts';
import { openGateway, type GatewaySocket } from './socket.ts';

const AGAIN_MS = 2_000;

export interface ToolNodeParts {
  readonly gateway: GatewayAddress;
  readonly home: string;
  hub(): Promise<HubClient>;
  log(message: string): void;
}

export interface ToolNode {
  /** Publishes what the hub has now. */
  publish(status: HubStatus): void;
  stop(): void;
}

export function startToolNode({ gateway, home, hub, log }: ToolNodeParts): ToolNode {
  const identity = openIdentity(home, 'tools');
  let socket: GatewaySocket | undefined;
  let newest: HubStatus | undefined;
  let published = '';
  /** Whoever may ask a node of the gateway can name any server: those that are withheld stay so. */
  let offered: ReadonlySet<string> = new Set();
  let told = '';
  let work: Promise<void> = Promise.resolve();
  const stopped = new AbortController();

  async function answer(to: GatewaySocket, invocation: Invocation): Promise<void> {
    const { id, nodeId, command } = invocation;
    const result = { id, nodeId };
    try {
      if (command !== CALL_COMMAND) throw new PincerError('USAGE', `There is no command "${command}".`);
      const call = readCall(invocation);
      if (!offered.has(nameOf(call))) throw new PincerError('TOOL_UNKNOWN', 'No such tool is offered here.');
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
    const said = left.join(' ');
    if (said !== told && said !== '') log(said);
    told = said;
  }

  /** One after the other; what came meanwhile is in the last. */
  function publishSoon(): void {
    work = work.then(publishNow).catch((error: unknown) => {
      log(PincerError.from(error).message);
      // A gateway that is busy with the node itself, say with its approval, may take it the next time.
      if (!stopped.signal.aborted) setTimeout(publishSoon, AGAIN_MS).unref();
    });
  }

  function onEvent(event: string, payload: unknown, from: GatewaySocket): void {
    if (event === 'node.invoke.request') void answer(from, payload as Invocation).catch(() => undefined);
  }

  async function stayConnected(): Promise<void> {
    const pauses = createPauses();
    while (!stopped.signal.aborted) {
      try {
        const opened = await openGateway(gateway, identity, { onEvent, signal: stopped.signal });
        socket = opened;
        published = '';
        pauses.reset();
        log(APPROVE);
        publishSoon();
        await opened.closed;
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
  'is connected to the gateway as a node. Where its tools are missing: openclaw nodes pending, then openclaw nodes approve <id>';

const nameOf = ({ server, tool }: { readonly server: string; readonly tool: string }): string =>
  JSON.stringify([server, tool]);
