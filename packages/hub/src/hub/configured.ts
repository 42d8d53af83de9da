/** Derives the core's settings from the configuration. */
import type { Config, ServerConfig } from '../config/schema.ts';
import { AGENT_SOURCE, DEVICE_SOURCE } from '../core/caller.ts';
import type { CatalogServer } from '../core/catalog/catalog.ts';
import type { PolicyRules } from '../core/policy.ts';
import type { TrustedServer, Trust } from '../core/trust/trust.ts';
import type { NamedApp } from '../apps/apps.ts';
import { sha256 } from '../lib/digest.ts';
import type { Log } from '../core/ports.ts';
import { acceptCommand } from '../core/trust/accept-command.ts';

/** The digest that identifies a server. */
const originOf = ({ identity, shown }: ServerConfig): string => sha256(identity ?? shown);

const appOrigin = (name: string): string => sha256(`app ${name}`);

/** Origins of all sources, including the agent, this machine and apps. */
export const originsOf = (
  running: ReadonlyMap<string, ServerConfig>,
  apps: readonly NamedApp[],
): ReadonlyMap<string, string> =>
  new Map([
    [AGENT_SOURCE, AGENT_SOURCE],
    [DEVICE_SOURCE, DEVICE_SOURCE],
    ...apps.map(({ name }) => [name, appOrigin(name)] as const),
    ...[...running].map(([name, server]) => [name, originOf(server)] as const),
  ]);

/** The sources besides servers. */
export interface Others {
  readonly hasAgent: boolean;
  readonly hasDevice: boolean;
  readonly apps: readonly NamedApp[];
}

/** The agent comes first and its tools keep their names; apps come last. */
export const catalogServers = (
  running: ReadonlyMap<string, ServerConfig>,
  { hasAgent, hasDevice, apps }: Others,
): CatalogServer[] => [
  ...(hasAgent ? [{ name: AGENT_SOURCE, prefix: '' }] : []),
  ...(hasDevice ? [{ name: DEVICE_SOURCE, prefix: DEVICE_SOURCE, hasDots: true }] : []),
  ...[...running].map(([name, server]) => ({ name, prefix: server.toolPrefix ?? name })),
  ...apps.map(({ name }) => ({ name, prefix: name })),
];

export const trusted = (name: string, server: ServerConfig): TrustedServer => ({
  name,
  origin: originOf(server),
  trust: server.trust,
  toolFilter: server.toolFilter,
});

export const trustedApp = ({ name, trust }: NamedApp): TrustedServer => ({
  name,
  origin: appOrigin(name),
  trust,
  toolFilter: {},
});

export const policyRules = (
  { policy: { default: fallback }, agent, device }: Config,
  running: ReadonlyMap<string, ServerConfig>,
  apps: readonly NamedApp[],
): PolicyRules => ({
  default: fallback,
  servers: {
    ...Object.fromEntries([...running].flatMap(([name, { policy }]) => (policy ? [[name, policy]] : []))),
    ...Object.fromEntries(apps.flatMap(({ name, policy }) => (policy ? [[name, policy]] : []))),
    ...(agent.policy && { [AGENT_SOURCE]: { '*': agent.policy } }),
    ...(device.policy && { [DEVICE_SOURCE]: device.policy }),
  },
});

/** Logs each held tool, with the command that accepts it. */
export const logHeld =
  (log: Log): Parameters<Trust['onHeld']>[0] =>
  (held) => {
    for (const { server, tool, why } of held)
      log.warn(`${server}.${tool} is held until a person accepts it: ${acceptCommand(server, tool)}`, {
        why,
      });
  };
