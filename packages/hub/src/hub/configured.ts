/** What follows for the core from the servers that are configured. */
import type { Config, ServerConfig } from '../config/schema.ts';
import { AGENT_SOURCE } from '../core/caller.ts';
import type { PolicyRules } from '../core/policy.ts';
import type { TrustedServer } from '../core/trust/trust.ts';
import { sha256 } from './sha256.ts';

/** Of what makes a server the same server. */
export const originOf = ({ identity, shown }: ServerConfig): string => sha256(identity ?? shown);

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
