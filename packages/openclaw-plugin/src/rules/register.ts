/**
 * Rules before a call: which agents may use a server, and approvals in OpenClaw's own way. The hub cannot tell agents
 * apart, so this is the only place that does. The hub enforces its policy in any case.
 */
import { ask, PincerError, visible, type HubStatus } from 'pincer/client';
import { ownEntries } from '../entries/entries.ts';
import { mcpServersIn } from '../host-config.ts';
import type { HostApi, HostConfig, ToolCallRuling } from '../host.ts';
import type { Runtime } from '../hub/keeper.ts';
import { createAsking, within, type CallContext, type CallEvent } from './asking.ts';
import { entryOf, isOfServer } from './tool-name.ts';

/** The host gives a hook 15 seconds, and blocks the call after that. */
const STATUS_MS = 8_000;

export function registerRules(api: HostApi, runtime: Runtime, home: string): void {
  const asking = createAsking(runtime, api.logger);

  async function ruleOn(event: CallEvent, context: CallContext): Promise<ToolCallRuling | undefined> {
    // The hook is also called for OpenClaw's own tools.
    if (!isOfServer(event.toolName)) return undefined;
    const config = api.runtime.config.current();
    const entry = entryOf(event.toolName, ownEntries(config, home), (key) => isKeyIn(config, key));
    if (entry === undefined) return undefined;
    const status = runtime.status() ?? (await within(readStatus(runtime), STATUS_MS, context.abortSignal));
    if (status === undefined) return blocked(`${NOT_KNOWN} The hub does not answer.`);
    const report = status.servers.find(({ name }) => name === entry.server);
    const refusal = refusalOf(entry.server, report?.agents, context.agentId);
    if (refusal !== undefined) return blocked(refusal);
    return report?.isGuarded === true ? asking.ask(entry, event, context) : undefined;
  }

  api.on('before_tool_call', async (event, context) => {
    try {
      return await ruleOn(event, context);
    } catch (error) {
      return blocked(`${NOT_KNOWN} ${PincerError.from(error).message}`);
    }
  });
}

const NOT_KNOWN = 'The rules for this tool are not known now, so it was not run.';

const blocked = (blockReason: string): ToolCallRuling => ({ block: true, blockReason });

const isKeyIn = (config: HostConfig, key: string): boolean =>
  Object.keys(mcpServersIn(config)).some((other) => other.toLowerCase() === key);

const readStatus = async (runtime: Runtime): Promise<HubStatus> => ask(await runtime.hub(), 'GET status');

/** Agent ids are case-insensitive. `agents` undefined: all agents may. */
export const mayUse = (agents: readonly string[] | undefined, agent: string | undefined): boolean =>
  agents === undefined || agents.some((allowed) => allowed.toLowerCase() === agent?.toLowerCase());

/** Returns why this agent may not use the server, or undefined if it may. */
export function refusalOf(
  server: string,
  agents: readonly string[] | undefined,
  agent: string | undefined,
): string | undefined {
  if (mayUse(agents, agent)) return undefined;
  if (agent === undefined)
    return `${shown(server)} is for certain agents only, and OpenClaw does not name this agent. ${NOT_RUN}`;
  return (
    `The agent ${shown(agent)} may not use the MCP server ${shown(server)}. ${NOT_RUN} ` +
    `The owner can change "agents" of the server in Pincer's configuration.`
  );
}

const NOT_RUN = 'The tool was not run; do not call it again.';

const shown = (name: string): string => JSON.stringify(visible(name));
