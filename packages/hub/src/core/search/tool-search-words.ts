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
