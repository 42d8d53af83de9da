/** Finds tools by words (BM25). Pure: the same tools and query give the same answer. */
import type { ToolText } from './tool-search-text.ts';

export interface ToolSearch {
  /** The matching tools, best first. */
  find(query: string): readonly Match[];
}

export interface Match {
  readonly place: number;
  /** The matched share of the query's words: 1 is all. */
  readonly share: number;
}

/** Weight of a word by its field. */
const WEIGHT = { name: 4, title: 2, server: 2, description: 1, parameter: 1, explanation: 0.5 } as const;
/** The usual constants of BM25: saturation of repeated words, and the penalty for long texts. */
const SATURATION = 1.2;
const LENGTH_NORM = 0.75;

/** A prefix of a word, or a longer form of it (`issues` for `issue`), counts partly. */
const BEGINNING_WEIGHT = 0.75;
const MIN_BEGINNING = 3;
/** A longer form must consist mostly of the word: `formatting` is not a form of `for`. */
const MIN_SHARE = 0.6;

/** Matches this much worse than the best are noise: they share only a common word. */
const MIN_OF_BEST = 0.2;

/** The rest of a query is ignored. */
const MAX_QUERY_CHARS = 1_000;
const MAX_QUERY_WORDS = 32;

interface Posting {
  readonly place: number;
  /** Weighted frequency of the word. */
  readonly count: number;
}

/** The indexed words of one tool. Reading them is the most expensive step, so they may be cached. */
export interface ToolWords {
  /** The exposed name and the name at the server, to match a query that is a name. */
  readonly names: readonly string[];
  /** Weighted frequency of each word. */
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

  /** The score that one word of the query adds to each tool. */
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
  /** Number of matched words of the query. */
  readonly matched: number;
}
const NOTHING: Total = { sum: 0, matched: 0 };

/** A name with its separators normalized. */
const nameForm = (text: string): string => wordsIn(text).join(' ');

/** Ranks after every name. */
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

/** 1: the same word; 0: another word; in between: one is the beginning of the other. */
function likeness(wanted: string, word: string): number {
  if (wanted === word) return 1;
  const isBeginning = wanted.length >= MIN_BEGINNING && word.startsWith(wanted);
  if (isBeginning) return (BEGINNING_WEIGHT * wanted.length) / word.length;
  const isForm = word.length >= MIN_BEGINNING && wanted.startsWith(word);
  const share = word.length / wanted.length;
  return isForm && share >= MIN_SHARE ? BEGINNING_WEIGHT * share : 0;
}

// oxlint-disable-next-line no-control-regex -- all of ASCII
const ASCII = /^[\u0000-\u007f]*$/;
const MARKS = /\p{M}/gu;
const WORD = /[\p{L}\p{N}]+/gu;
/** Word boundaries within `createIssue` and `HTTPServer`. */
const HUMP = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu;
/** Scripts without useful spaces between words. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** Lower case, without accents. A camel-case word is included whole and in parts. */
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

/** Each pair of adjacent characters. */
function pairsIn(word: string): string[] {
  const characters = Array.from(word);
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]!}${character}`);
}

/** Stop words. */
const SMALL_WORDS: ReadonlySet<string> = new Set(
  (
    'a about an and are as at be by can do for from how i in into is it me my of on or please that the this to ' +
    'use want what when which with'
  ).split(' '),
);

/** The words of a query, each once, without stop words. A query of only stop words keeps them. */
export function wordsOfQuery(query: string): string[] {
  const words = [...new Set(wordsIn(query))];
  const large = words.filter((word) => !SMALL_WORDS.has(word));
  return large.length > 0 ? large : words;
}
