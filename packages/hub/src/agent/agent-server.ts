/** The server of `pincer mcp-server`: only OpenClaw's agent, without a hub and without policy. Its only state file is the device key. */
import { AGENT_SOURCE } from '../core/caller.ts';
import { createCatalog } from '../core/catalog/catalog.ts';
import { listedTo } from '../core/listed.ts';
import { createNotices } from '../core/notices.ts';
import { createPolicy } from '../core/policy.ts';
import type { Observer, Sealer } from '../core/ports.ts';
import { sha256 } from '../lib/digest.ts';
import { createPipeline } from '../mcp/pipeline.ts';
import { createSlots } from '../mcp/slots.ts';
import type { McpStdioParts } from '../mcp/stdio.ts';
import { createAgent, type AgentPorts } from './agent.ts';

export interface AgentServer extends McpStdioParts {
  /** Stops all orders. */
  stop(): Promise<void>;
}

interface AgentServerPorts extends AgentPorts {
  readonly sealer: Sealer;
  readonly observers: readonly Observer[];
}

export function createAgentServer(ports: AgentServerPorts): AgentServer {
  const { clock, log, limits } = ports;
  const agent = createAgent(ports);
  const catalog = createCatalog(sha256);
  catalog.configure([{ name: AGENT_SOURCE, prefix: '' }]);
  catalog.put(AGENT_SOURCE, agent.configure());
  const notices = createNotices((listener, kind) => listedTo(catalog, listener, kind));
  // The client asks for approvals itself.
  const policy = createPolicy({});
  const pipeline = createPipeline({
    catalog,
    notices,
    limits,
    clock,
    sealer: ports.sealer,
    observers: ports.observers,
    policy: () => policy,
    source: () => agent,
    sources: () => [agent],
  });
  return {
    log,
    limits,
    slots: createSlots(limits),
    dispatch: pipeline.dispatch,
    onClient: pipeline.onClient,
    async stop() {
      pipeline.stop();
      await agent.stop();
    },
  };
}
