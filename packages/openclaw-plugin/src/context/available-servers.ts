/** `<available-mcp-servers>`: what an agent is told of its servers, behind its system prompt. */
import { stateWord, visible, type ServerReport } from 'pincer/client';
import { mayUse } from '../rules/agent-rule.ts';

/** A server is given up, for now, after this many attempts in a row. Until then it is what it was. */
const ATTEMPTS_OF_LOST = 3;
const MAX_SERVERS = 60;
const MAX_NAME = 64;

/**
 * The same servers give the same text, whoever connects, waits or sleeps at the moment: behind another text nothing of the
 * conversation is in the provider's cache any more. Undefined: there is nothing to tell.
 */
export function describeServers(servers: readonly ServerReport[], agent?: string): string | undefined {
  const theirs = servers
    // For whom a server is whose settings are wrong, nobody knows.
    .filter(({ state, isMisconfigured }) => state !== 'disabled' && isMisconfigured !== true)
    .filter(({ agents }) => mayUse(agents, agent))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  if (theirs.length === 0) return undefined;
  const left = theirs.length - MAX_SERVERS;
  return [
    '<available-mcp-servers>',
    ...theirs.slice(0, MAX_SERVERS).map(serverLine),
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

/** `connected` is what can be called, even if it has to be started for that. */
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
