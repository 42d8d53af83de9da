/** What a server offered when it was last asked, as the control API tells it. */
import { visible } from '../../core/visible.ts';
import { plural } from '../render/plural.ts';

export interface OfferReport {
  readonly name: string;
  /** Whether it has ever been asked. */
  readonly isKnown: boolean;
  readonly era?: string | undefined;
  readonly serverInfo?: { readonly name?: unknown; readonly version?: unknown } | undefined;
  readonly instructions?: string | undefined;
  readonly tools: readonly string[];
  readonly prompts: readonly string[];
  readonly resources: readonly string[];
  readonly templates: readonly string[];
}

export interface ProbeReport extends OfferReport {
  readonly ms: number;
}

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
