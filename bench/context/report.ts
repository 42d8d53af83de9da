/** The figures as Markdown tables. */
import { breakEven, costOf, type Conversation, type Cost, type Price } from './cost.ts';
import type { Way } from './play.ts';

export interface Measured {
  readonly catalog: string;
  readonly toolCount: number;
  /** The estimate of `auto` for the full list. */
  readonly estimate: number;
  readonly conversations: Readonly<Record<Way, readonly Conversation[]>>;
}

export interface ContextResult {
  readonly date: string;
  readonly commit: string;
  readonly uncommittedChanges: boolean;
  readonly tokenizer: string;
  readonly bases: readonly number[];
  readonly catalogs: readonly Measured[];
}

const WAYS: readonly Way[] = ['full', 'search', 'careful', 'clumsy'];
const PRICES: readonly Price[] = ['plain', 'cold', 'warm'];

export function contextReport({ tokenizer, bases, catalogs }: ContextResult): string {
  return [
    `Tokenizer: ${tokenizer}.`,
    '## Size of the tool list',
    table(['catalog', 'tools', 'full', 'estimate', 'search'], catalogs.map(listRow)),
    ...bases.flatMap((base) => [
      `## Mean cost of one task, over ${catalogs[0]!.conversations.full.length}, with ${number(base)} tokens of other context`,
      table(
        ['catalog', 'way', 'turns', 'tokens sent', 'no cache', 'cold cache', 'warm cache'],
        catalogs.flatMap((each) => taskRows(each, base)),
      ),
    ]),
    '## Size of the tool list, in tokens, above which searching costs less',
    table(
      ['other context', 'way', 'no cache', 'cold cache', 'warm cache'],
      bases.flatMap((base) => breakEvenRows(catalogs, base)),
    ),
  ].join('\n\n');
}

const listRow = ({ catalog, toolCount, estimate, conversations }: Measured): string[] => [
  catalog,
  number(toolCount),
  number(conversations.full[0]!.toolTokens),
  number(estimate),
  number(conversations.search[0]!.toolTokens),
];

function taskRows({ catalog, conversations }: Measured, base: number): string[][] {
  const full = meanCost(conversations.full, base);
  return WAYS.map((way) => {
    const cost = meanCost(conversations[way], base);
    const compared = (price: Price): string =>
      way === 'full' ? number(cost[price]) : `${number(cost[price])} (${percent(cost[price] / full[price])})`;
    return [catalog, way, cost.turns.toFixed(1), compared('sent'), ...PRICES.map(compared)];
  });
}

/** From the tasks of the largest catalog: the others have the same tasks, or only a few. */
function breakEvenRows(catalogs: readonly Measured[], base: number): string[][] {
  const { conversations } = catalogs.at(-1)!;
  return (['search', 'careful', 'clumsy'] as const).map((way) => [
    number(base),
    way,
    ...PRICES.map((price) => number(breakEven(conversations.full, conversations[way], { price, base }))),
  ]);
}

function meanCost(conversations: readonly Conversation[], base: number): Cost {
  const costs = conversations.map((each) => costOf(each, base));
  const mean = (key: keyof Cost): number => costs.reduce((sum, cost) => sum + cost[key], 0) / costs.length;
  return {
    turns: mean('turns'),
    sent: mean('sent'),
    plain: mean('plain'),
    cold: mean('cold'),
    warm: mean('warm'),
  };
}

const number = (value: number): string => Math.round(value).toLocaleString('en-US');
const percent = (ratio: number): string =>
  `${ratio < 1 ? '−' : '+'}${Math.abs(Math.round((ratio - 1) * 100))} %`;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, index) => (index < 1 ? '---' : '---:'))), ...rows.map(line)].join(
    '\n',
  );
}
