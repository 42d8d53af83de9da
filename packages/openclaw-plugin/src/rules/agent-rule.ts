/** Which agents may use a server. */
import { visible } from 'pincer/client';

/** Agents are the same whatever the case of their letters. `agents` undefined: all may. */
export const mayUse = (agents: readonly string[] | undefined, agent: string | undefined): boolean =>
  agents === undefined || agents.some((allowed) => allowed.toLowerCase() === agent?.toLowerCase());

/** Why this agent may not; undefined: it may. */
export function refusalOf(
  server: string,
  agents: readonly string[] | undefined,
  agent: string | undefined,
): string | undefined {
  if (mayUse(agents, agent)) return undefined;
  if (agent === undefined)
    return `${shown(server)} is for certain agents only, and OpenClaw does not say which agent this is. ${NOT_RUN}`;
  return (
    `The agent ${shown(agent)} may not use the MCP server ${shown(server)}. ${NOT_RUN} ` +
    `The owner can change that: "agents" of the server, in Pincer's configuration.`
  );
}

const NOT_RUN = 'The tool was not run; do not call it again.';

const shown = (name: string): string => JSON.stringify(visible(name));
