/** `<available-mcp-servers>`: the list of servers that is added to an agent's system prompt. */
import { stateWord, visible, type ServerReport } from 'pincer/client';
import type { HostApi } from './host.ts';
import type { Runtime } from './hub/keeper.ts';
import { mayUse } from './rules/register.ts';

/** A server counts as disconnected after this many failed attempts in a row. */
const ATTEMPTS_OF_LOST = 3;
const MAX_SERVERS = 60;
const MAX_NAME = 64;

/**
 * The text depends on the servers and not on their momentary state: another text would invalidate the provider's prompt
 * cache. Returns undefined if there are no servers.
 */
export function describeServers(servers: readonly ServerReport[], agent?: string): string | undefined {
  const visibleServers = servers
    // With invalid settings, `agents` of the server is unknown.
    .filter(({ state, isMisconfigured }) => state !== 'disabled' && isMisconfigured !== true)
    .filter(({ agents }) => mayUse(agents, agent))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  if (visibleServers.length === 0) return undefined;
  const left = visibleServers.length - MAX_SERVERS;
  return [
    '<available-mcp-servers>',
    ...visibleServers.slice(0, MAX_SERVERS).map(serverLine),
    ...(left > 0 ? [`  <more servers="${left}"/>`] : []),
    '</available-mcp-servers>',
  ].join('\n');
}

function serverLine(server: ServerReport): string {
  const { name, prefix = name, tools } = server;
  const facts = {
    name,
    ...(prefix === name ? {} : { prefix }),
    tools: String(tools),
    status: settledStatus(server),
  };
  const attributes = Object.entries(facts).map(([key, value]) => `${key}="${attribute(value)}"`);
  return `  <server ${attributes.join(' ')}/>`;
}

/** A server is `connected` if it can be called, even if it has to be started first. */
function settledStatus({ state, tools, attempts = 0 }: ServerReport): string {
  switch (state) {
    case 'ready':
    case 'idle':
      return 'connected';
    case 'connecting':
    case 'backoff':
      if (attempts >= ATTEMPTS_OF_LOST) return 'disconnected';
      return tools > 0 ? 'connected' : 'connecting';
    default:
      return stateWord(state, 'http').toLowerCase();
  }
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const attribute = (text: string): string =>
  visible(text)
    .slice(0, MAX_NAME)
    .replaceAll(/[&<>"]/g, (char) => ENTITIES[char]!);

/** The host calls the hook on each turn and caches nothing. */
export function registerContext(api: HostApi, runtime: Runtime): void {
  /** The last text per agent, used while the hub is unavailable. */
  const lastText = new Map<string, string | undefined>();
  api.on('before_prompt_build', async (_event, { agentId }) => {
    const status = runtime.status();
    const key = agentId ?? '';
    const text = status === undefined ? lastText.get(key) : describeServers(status.servers, agentId);
    lastText.set(key, text);
    return text === undefined ? undefined : { appendSystemContext: text };
  });
}
