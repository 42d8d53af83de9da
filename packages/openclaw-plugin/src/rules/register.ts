/**
 * Rules before a call. Agents are told apart here alone: the hub sees OpenClaw, and not which agent it is. What policy says
 * is the hub's to enforce; here the person is asked in OpenClaw's own way, where that can ask somebody.
 */
import { ask, PincerError, type HubStatus } from 'pincer/client';
import { ownEntries } from '../entries/entries.ts';
import { mcpServersIn } from '../config-part.ts';
import type { HostApi, HostConfig, ToolCallRuling } from '../host.ts';
import type { Runtime } from '../hub/runtime.ts';
import { refusalOf } from './agent-rule.ts';
import { createAsking, type CallContext, type CallEvent } from './asking.ts';
import { entryOf, isOfServer } from './tool-name.ts';
import { within } from './within.ts';

/** The host gives a hook 15 seconds, and blocks the call after that. */
const STATUS_MS = 8_000;

export function registerRules(api: HostApi, runtime: Runtime, home: string): void {
  const asking = createAsking(runtime, api.logger);

  async function ruleOn(event: CallEvent, context: CallContext): Promise<ToolCallRuling | undefined> {
    // OpenClaw's own tools come by here, too.
    if (!isOfServer(event.toolName)) return undefined;
    const config = api.runtime.config.current();
    const entry = entryOf(event.toolName, ownEntries(config, home), (key) => isKeyIn(config, key));
    if (entry === undefined) return undefined;
    const status = runtime.status() ?? (await within(readStatus(runtime), STATUS_MS, context.abortSignal));
    if (status === undefined) return blocked(`${NOBODY_KNOWS} The hub does not answer.`);
    const report = status.servers.find(({ name }) => name === entry.server);
    const refusal = refusalOf(entry.server, report?.agents, context.agentId);
    if (refusal !== undefined) return blocked(refusal);
    return report?.isGuarded === true ? asking.ask(entry, event, context) : undefined;
  }

  api.on('before_tool_call', async (event, context) => {
    try {
      return await ruleOn(event, context);
    } catch (error) {
      return blocked(`${NOBODY_KNOWS} ${PincerError.from(error).message}`);
    }
  });
}

const NOBODY_KNOWS = 'Whether this tool may be used is not known now, so it was not run.';

const blocked = (blockReason: string): ToolCallRuling => ({ block: true, blockReason });

const isKeyIn = (config: HostConfig, key: string): boolean =>
  Object.keys(mcpServersIn(config)).some((other) => other.toLowerCase() === key);

const readStatus = async (runtime: Runtime): Promise<HubStatus> => ask(await runtime.hub(), 'GET status');
