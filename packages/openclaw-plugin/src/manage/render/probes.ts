/** What came of connecting, a line per server. */
import { inChatTerms, visible, type OfferReport, type PincerError, type ProbeReport } from 'pincer/client';
import { plural } from './plural.ts';

export interface Refreshed {
  readonly name: string;
  readonly before: OfferReport | undefined;
  readonly after?: ProbeReport;
  readonly failure?: PincerError;
}

const MAX_NAMES = 10;

export const renderRefreshed = (all: readonly Refreshed[]): string[] => all.flatMap(linesOf);

function linesOf({ name, before, after, failure }: Refreshed): string[] {
  if (failure !== undefined || after === undefined)
    return [
      `${name}: ${visible(inChatTerms(failure?.message ?? 'no answer'))}`,
      ...(failure?.hint === undefined ? [] : [`  ${visible(inChatTerms(failure.hint))}`]),
    ];
  const changes =
    before?.isKnown === true
      ? [
          ...changed('new', without(after.tools, before.tools)),
          ...changed('gone', without(before.tools, after.tools)),
        ]
      : [];
  return [`${name}: ${plural(after.tools.length, 'tool')}`, ...changes];
}

const without = (names: readonly string[], known: readonly string[]): string[] =>
  names.filter((name) => !known.includes(name));

function changed(word: string, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  return [`  ${word}: ${names.slice(0, MAX_NAMES).map(visible).join(', ')}${more}`];
}
