import { visible, visibleBlock } from '../../core/visible.ts';
import type { HeldReport } from '../../client/held-tools.ts';
import type { OfferReport } from '../../client/offer-report.ts';
import type { ServerRow } from '../servers/rows.ts';
import type { Style } from '../terminal/style.ts';
import { renderFacts } from './facts.ts';
import { countOffer, selfName } from './offer.ts';
import { renderError } from './server-list.ts';
import { stateWord } from '../../client/state-word.ts';
import { stateSymbol } from './state-symbol.ts';

export interface ShownServer {
  readonly row: ServerRow;
  readonly offer: OfferReport | undefined;
  readonly held: readonly HeldReport[];
  /** Without its secrets. */
  readonly config: unknown;
}

const MAX_NAMES = 40;

export function renderShown({ row, offer, held, config }: ShownServer, style: Style): string {
  const word = stateWord(row.state, row.transport, row.pid);
  const known = offer?.isKnown === true ? offer : undefined;
  const lines = [
    `${stateSymbol(row.state, style)} ${style.bold(row.name)}  ${word}`,
    ...renderError(row, style),
    '',
    ...renderFacts(
      [
        ['calls itself', known && selfName(known)],
        ['era', known?.era],
        ['offers', known ? countOffer(known) : 'not known: nobody has asked it yet'],
        ['tools', known && names(known.tools)],
        ['prompts', known && names(known.prompts)],
        ['resources', known && names([...known.resources, ...known.templates])],
        [
          'held',
          held.length === 0 ? undefined : `${names(held.map(({ tool }) => tool))}: pincer accept ${row.name}`,
        ],
        ['configured in', row.origin ?? 'config.json'],
      ],
      style,
    ),
  ];
  if (config !== undefined) {
    const text = visibleBlock(JSON.stringify(config, undefined, 2));
    lines.push('', ...text.split('\n').map((line) => `  ${line}`));
  }
  return `${lines.join('\n')}\n`;
}

function names(all: readonly string[]): string {
  const shown = all.slice(0, MAX_NAMES).map(visible).join(', ');
  return all.length > MAX_NAMES ? `${shown} and ${all.length - MAX_NAMES} more` : shown;
}
