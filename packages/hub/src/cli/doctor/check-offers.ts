/** What servers offer that a person should know of. */
import type { Clash } from '../../core/catalog/resource-index.ts';
import { visible } from '../../core/visible.ts';
import { ask, type HubClient } from '../../client/hub-client.ts';
import type { HeldTool, HubStatus } from '../../client/status.ts';
import { plural } from '../render/plural.ts';
import { warn, type Finding } from './finding.ts';

/** More of them are one misunderstanding. */
const MAX_CLASHES = 5;

export async function checkOffers(
  hub: HubClient | undefined,
  status: HubStatus | undefined,
): Promise<Finding[]> {
  if (hub === undefined || status === undefined) return [];
  const clashes = await ask<Clash[]>(hub, 'GET clashes');
  const apps = status.proxy?.apps.map(({ name }) => name);
  return [...heldFindings(status.held ?? [], apps), ...clashFindings(clashes)];
}

export const heldFindings = (held: readonly HeldTool[], apps: readonly string[] = []): Finding[] =>
  [...Map.groupBy(held, ({ server }) => server)].map(([server, tools]) => {
    const names = visible(tools.map(({ tool }) => tool).join(', '));
    const be = tools.length === 1 ? 'is' : 'are';
    return warn(
      `${apps.includes(server) ? 'proxy.apps' : 'servers'}.${server}`,
      `${plural(tools.length, 'tool')} ${be} held until you accept: ${names}.`,
      `pincer accept ${server}`,
    );
  });

export function clashFindings(clashes: readonly Clash[]): Finding[] {
  const shown = clashes
    .slice(0, MAX_CLASHES)
    .map(({ uri, servers }) =>
      warn(
        `servers.${servers[0]}`,
        `${visible(uri)} is listed by ${servers.join(' and ')}; ${servers[0]} answers for it.`,
        `Ask for it at /mcp/${servers[1]} where you want the other one, or change the order of the servers.`,
      ),
    );
  const more = clashes.length - shown.length;
  return more === 0
    ? shown
    : [
        ...shown,
        warn(
          'servers',
          `${plural(more, 'resource')} more ${more === 1 ? 'is' : 'are'} listed by several servers.`,
          undefined,
        ),
      ];
}
