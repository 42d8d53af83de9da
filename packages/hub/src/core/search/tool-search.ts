/** Finds tools by words (BM25). Pure: the same tools and the same query give the same answer. */
import type { ToolText } from './tool-search-text.ts';

export interface ToolSearch {
  /** The tools that match, the best first. */
  find(query: string): readonly Match[];
}

export interface Match {
  readonly place: number;
  /** How much of the query it matches, in words: 1 is all. */
  readonly share: number;
}

/** How much a word counts by where it stands. */
const WEIGHT = { name: 4, title: 2, server: 2, description: 1, parameter: 1, explanation: 0.5 } as const;
/** The usual constants of BM25: how soon a word that is repeated counts no more, and how much a long text is held back. */
const SATURATION = 1.2;
const LENGTH_NORM = 0.75;

/** The beginning of a word, or a longer form of it (`issues` for `issue`), counts as part of it. */
const BEGINNING_WEIGHT = 0.75;
const MIN_BEGINNING = 3;
/** What is left of a longer form must be most of it: `formatting` is no form of `for`. */
const MIN_SHARE = 0.6;

/** What is that much worse than the best is noise: it shares a word that everybody has. */
const MIN_OF_BEST = 0.2;

/** More of a query is not read. */
const MAX_QUERY_CHARS = 1_000;
const MAX_QUERY_WORDS = 32;

interface Posting {
  readonly place: number;
  /** How often the word is there, weighted. */
  readonly count: number;
}

/** What is compared of one tool. To read it takes longer than everything else: it may be kept. */
export interface ToolWords {
  /** The query may be one of these: the name as it is shown, and as its server calls it. */
  readonly names: readonly string[];
  /** How often each word is there, weighted. */
  readonly counts: ReadonlyMap<string, number>;
}

export function createToolSearch(tools: readonly ToolWords[]): ToolSearch {
  const postings = new Map<string, Posting[]>();
  const lengths = tools.map(({ counts }, place) => {
    let length = 0;
    for (const [word, count] of counts) {
      length += count;
      const known = postings.get(word);
      if (known === undefined) postings.set(word, [{ place, count }]);
      else known.push({ place, count });
    }
    return length;
  });
  const meanLength = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, tools.length);

  const saturated = ({ place, count }: Posting): number => {
    const norm = 1 - LENGTH_NORM + (LENGTH_NORM * lengths[place]!) / meanLength;
    return (count * (SATURATION + 1)) / (count + SATURATION * norm);
  };

  /** For one word of the query, what it adds to each tool. */
  function scoresFor(wanted: string): Map<number, number> {
    const best = new Map<number, number>();
    for (const [word, places] of postings) {
      const share = likeness(wanted, word);
      if (share === 0) continue;
      for (const posting of places)
        best.set(posting.place, Math.max(best.get(posting.place) ?? 0, share * saturated(posting)));
    }
    const rarity = Math.log(1 + (tools.length - best.size + 0.5) / (best.size + 0.5));
    for (const [place, score] of best) best.set(place, rarity * score);
    return best;
  }

  return {
    find(query) {
      const text = query.slice(0, MAX_QUERY_CHARS);
      const words = wordsOfQuery(text).slice(0, MAX_QUERY_WORDS);
      const totals = new Map<number, Total>();
      for (const wanted of words)
        for (const [place, score] of scoresFor(wanted)) {
          const { sum, matched } = totals.get(place) ?? NOTHING;
          totals.set(place, { sum: sum + score, matched: matched + 1 });
        }
      let best = 0;
      for (const { sum } of totals.values()) best = Math.max(best, sum);
      const asName = nameForm(text);
      return [...totals]
        .map(([place, { sum, matched }]) => {
          const rank = tools[place]!.names.indexOf(asName);
          return { place, sum, rank: rank === -1 ? NO_NAME : rank, share: matched / words.length };
        })
        .filter(({ sum, rank }) => rank !== NO_NAME || sum >= MIN_OF_BEST * best)
        .toSorted((a, b) => a.rank - b.rank || b.sum - a.sum || a.place - b.place)
        .map(({ place, share }) => ({ place, share }));
    },
  };
}

interface Total {
  readonly sum: number;
  /** Words of the query that it has. */
  readonly matched: number;
}
const NOTHING: Total = { sum: 0, matched: 0 };

/** Words that are written as one name, whatever stands between them. */
const nameForm = (text: string): string => wordsIn(text).join(' ');

/** After every name. */
const NO_NAME = 2;

export const readToolWords = (tool: ToolText): ToolWords => ({
  names: [nameForm(tool.exposed), nameForm(tool.name)],
  counts: countWords(tool),
});

function countWords(tool: ToolText): Map<string, number> {
  const counts = new Map<string, number>();
  const add = (texts: readonly string[], weight: number): void => {
    for (const text of texts)
      for (const word of wordsIn(text)) counts.set(word, (counts.get(word) ?? 0) + weight);
  };
  add([tool.name], WEIGHT.name);
  add([tool.title], WEIGHT.title);
  add([tool.server], WEIGHT.server);
  add([tool.description], WEIGHT.description);
  add(tool.parameters, WEIGHT.parameter);
  add(tool.explanations, WEIGHT.explanation);
  return counts;
}

/** 1: the same word; 0: another; between: one is the beginning of the other. */
function likeness(wanted: string, word: string): number {
  if (wanted === word) return 1;
  const isBeginning = wanted.length >= MIN_BEGINNING && word.startsWith(wanted);
  if (isBeginning) return (BEGINNING_WEIGHT * wanted.length) / word.length;
  const isForm = word.length >= MIN_BEGINNING && wanted.startsWith(word);
  const share = word.length / wanted.length;
  return isForm && share >= MIN_SHARE ? BEGINNING_WEIGHT * share : 0;
}

/** The words of a text, as a search compares them. */
// oxlint-disable-next-line no-control-regex -- all of ASCII
const ASCII = /^[\u0000-\u007f]*$/;
const MARKS = /\p{M}/gu;
const WORD = /[\p{L}\p{N}]+/gu;
/** `createIssue`, `HTTPServer`: where a new word begins without a sign between. */
const HUMP = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu;
/** Scripts that put no space between words, or none that helps. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** In lower case and without accents. A word of several humps is there as a whole and in its parts. */
export function wordsIn(text: string): string[] {
  const plain = ASCII.test(text) ? text : text.normalize('NFKD').replaceAll(MARKS, '').normalize('NFKC');
  return (plain.match(WORD) ?? []).flatMap((word) => {
    const lower = word.toLowerCase();
    if (UNSPACED.test(word)) return pairsIn(lower);
    if (lower === word) return lower;
    const parts = word.split(HUMP);
    return parts.length === 1 ? lower : [lower, ...parts.map((part) => part.toLowerCase())];
  });
}

/** Each two characters that stand beside each other. */
function pairsIn(word: string): string[] {
  const characters = Array.from(word);
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]!}${character}`);
}

/** Words that say nothing of what is looked for. */
const SMALL_WORDS: ReadonlySet<string> = new Set(
  (
    'a about an and are as at be by can do for from how i in into is it me my of on or please that the this to ' +
    'use want what when which with'
  ).split(' '),
);

/** What is looked for, each word once. A query of nothing but small words is taken as it is. */
export function wordsOfQuery(query: string): string[] {
  const words = [...new Set(wordsIn(query))];
  const large = words.filter((word) => !SMALL_WORDS.has(word));
  return large.length > 0 ? large : words;
}
