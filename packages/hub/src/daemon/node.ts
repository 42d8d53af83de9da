/** Runs this machine as a node of a gateway while the configuration enables it. */
import { hostname } from 'node:os';
import { readOpenClawSettings } from '../config/openclaw-file.ts';
import type { Config } from '../config/schema.ts';
import type { Environment } from '../lib/process.ts';
import type { Clock } from '../core/ports.ts';
import type { Hub } from '../hub/interface.ts';
import { declaredCommands, isWanted, selectPublished } from '../device/node/declared.ts';
import { findGateway, nodeGateway } from '../openclaw/find.ts';
import { openIdentity } from '../owner/device-identity.ts';
import { createInvoke } from '../device/node/invoke.ts';
import { openGatewayNode } from '../device/node/node.ts';
import type { AgentRequest, GatewayNode, PublishedTool } from '../device/node/parts.ts';
import type { NodeState, NodeView } from '../core/node-state.ts';
import type { FollowedConfig } from './config-file.ts';

export interface NodeParts {
  /** Runs as a node even if the configuration says otherwise. */
  readonly isForced: boolean;
  readonly home: string;
  readonly env: Environment;
  readonly hub: Hub;
  readonly followed: Pick<FollowedConfig, 'current' | 'onApplied'>;
  readonly clock: Clock;
}

export interface NodeController extends NodeView {
  /** Reconnects: a gateway looks up what it allows when a node connects. */
  refresh(): void;
  /** Sends a person's action on the canvas. Returns false if no gateway took it. */
  sendAction(request: AgentRequest): Promise<boolean>;
  close(): Promise<void>;
}

export function openNodeController({ isForced, home, env, hub, followed, clock }: NodeParts): NodeController {
  const { device: source, catalog, calls, log, limits } = hub;
  const listeners = new Set<(state: NodeState | undefined) => void>();
  let node: GatewayNode | undefined;
  const settings = (): Config['device'] => followed.current.device;
  const notify = (): void => {
    for (const listener of listeners) listener(node?.state());
  };
  const withheld = (server: string): string | undefined => withheldOf(server, hub.configOf(server));
  let left = '';
  function published(): readonly PublishedTool[] {
    const selected = selectPublished({
      wanted: settings().publish,
      catalog: catalog.list(undefined),
      withheld,
    });
    const reasons = selected.left.join(' ');
    if (reasons !== left && reasons !== '')
      log.warn('some tools are not published to the gateway', { why: reasons });
    left = reasons;
    return selected.tools;
  }

  function open(): GatewayNode {
    const opened = openGatewayNode({
      identity: openIdentity(home),
      find: () =>
        findGateway({
          env,
          config: readOpenClawSettings(env),
          gatewayUrl: nodeGateway(settings().gatewayUrl, followed.current.agent.gatewayUrl),
          fingerprint: settings().gatewayFingerprint,
        }),
      commands: () => declaredCommands(source!.registry),
      invoke: createInvoke({
        calls,
        isPublished: (server, tool) =>
          isWanted(settings().publish, server, tool) && withheld(server) === undefined,
      }),
      publishes: () => settings().publish.length > 0,
      tools: published,
      name: settings().name ?? hostname(),
      log,
      clock,
      limits,
    });
    opened.onChange(notify);
    return opened;
  }

  function reconsider(): void {
    if (source !== undefined && (isForced || settings().nodeMode)) {
      // A background hub connects to servers on demand, and publishing their tools is a demand.
      for (const wanted of settings().publish) void hub.whenKnown(wanted.split('.', 1)[0]);
      if (node === undefined) node = open();
      else node.reconsider();
    } else if (node !== undefined) {
      const closing = node;
      node = undefined;
      closing.close().catch((error: unknown) => log.error('the node could not be closed', { error }));
    }
    notify();
  }

  const undo = [
    followed.onApplied(reconsider),
    catalog.onChange(() => node?.reconsider()),
    source?.registry.onChange(() => node?.reconsider()),
  ];
  reconsider();
  return {
    state: () => node?.state(),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    refresh: () => node?.refresh(),
    sendAction: async (request) => (await node?.sendAction(request)) ?? false,
    async close() {
      for (const each of undo) each?.();
      await node?.close();
    },
  };
}

/** Returns why a server is not published: a call through a node does not identify its caller. */
function withheldOf(name: string, config: ReturnType<Hub['configOf']>): string | undefined {
  if (config?.agents !== undefined)
    return `"${name}" is limited to some agents, and a node cannot tell agents apart.`;
  if (config?.auth?.identity !== 'per-caller') return undefined;
  return `Each caller signs in to "${name}" separately, and a node cannot identify its caller.`;
}
