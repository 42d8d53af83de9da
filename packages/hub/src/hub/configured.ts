/** What follows for the core from the servers that are configured. */
import type { Config, ServerConfig } from '../config/schema.ts';
import { AGENT_SOURCE } from '../core/caller.ts';
import type { CatalogServer } from '../core/catalog/catalog.ts';
import type { PolicyRules } from '../core/policy.ts';
import type { TrustedServer } from '../core/trust/trust.ts';
import { sha256 } from './sha256.ts';

/** Of what makes a server the same server. */
const originOf = ({ identity, shown }: ServerConfig): string => sha256(identity ?? shown);

/** Of all sources, the agent among them. */
export const originsOf = (running: ReadonlyMap<string, ServerConfig>): ReadonlyMap<string, string> =>
  new Map([
    [AGENT_SOURCE, AGENT_SOURCE],
    ...[...running].map(([name, server]) => [name, originOf(server)] as const),
  ]);

/** The agent comes first, and its tools keep their names. */
export const catalogServers = (
  running: ReadonlyMap<string, ServerConfig>,
  withAgent: boolean,
): CatalogServer[] => [
  ...(withAgent ? [{ name: AGENT_SOURCE, prefix: '' }] : []),
  ...[...running].map(([name, server]) => ({ name, prefix: server.toolPrefix ?? name })),
];

export const trusted = (name: string, server: ServerConfig): TrustedServer => ({
  name,
  origin: originOf(server),
  trust: server.trust,
  toolFilter: server.toolFilter,
});

export const policyRules = (
  { policy: { default: fallback }, agent }: Config,
  running: ReadonlyMap<string, ServerConfig>,
): PolicyRules => ({
  default: fallback,
  servers: {
    ...Object.fromEntries([...running].flatMap(([name, { policy }]) => (policy ? [[name, policy]] : []))),
    ...(agent.policy && { [AGENT_SOURCE]: { '*': agent.policy } }),
  },
});
