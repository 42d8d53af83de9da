import { visible } from '../../core/visible.ts';
import type { OfferReport } from '../../control/contract/servers.ts';
import { plural } from './plural.ts';

/** `12 tools, 4 prompts, 10 resources`. */
export function countOffer({ tools, prompts, resources, templates }: OfferReport): string {
  const others = [
    [prompts.length, 'prompt'],
    [resources.length, 'resource'],
    [templates.length, 'resource template'],
  ] as const;
  const shown = others.filter(([count]) => count > 0).map(([count, noun]) => plural(count, noun));
  return [plural(tools.length, 'tool'), ...shown].join(', ');
}

/** `server-everything 1.0.0`, as it calls itself. */
export const selfName = ({ serverInfo }: OfferReport): string =>
  visible([serverInfo?.name, serverInfo?.version].filter((part) => typeof part === 'string').join(' '));
