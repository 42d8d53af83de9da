/**
 * Text of a call for the deciding person. Nothing is left out. Invisible characters and look-alikes are spelled out as
 * escapes.
 */
import { quotedVisibly } from '../redact/redact-text.ts';
import { visible, withoutDisguise } from '../visible.ts';

const ASCII = /^[\u0020-\u007e]*$/;
const WORDS = /([\p{L}\p{M}]+)/u;
const LATIN = /\p{Script=Latin}/u;
const OTHER_ALPHABET =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}]/u;

/** Only Cyrillic, Greek and Armenian letters that most fonts draw like Latin ones. */
const LIKE_LATIN =
  /^[\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u04bb\u0501\u051b\u051d\u04cf\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425\u0406\u0408\u0405\u050c\u03b1\u03b9\u03ba\u03bd\u03bf\u03c1\u03c5\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u0570\u0578\u057d\u0585]+$/u;

/** Full-width and mathematical forms of ASCII, Roman numerals, and look-alikes of signs in paths, shells and addresses. */
const LIKE_ASCII =
  /[\uff01-\uff5e\u{1d400}-\u{1d7ff}\u2100-\u214f\u2160-\u217f\u2010\u2011\u2024\u2044\u2212\u2215\u2216\u2223\u2236\u29f8\u29f9\ua789\u01c0\u01c3\u037e\u0589]/u;

/** More accents than any language puts on a letter: they cover the text around them. */
const STACKED = /\p{M}{3,}/u;
const ACCENT = /\p{M}/u;

/** Returns a JSON string that means the same. */
export const spellString = (text: string): string =>
  ASCII.test(text) ? quotedVisibly(text) : `"${spellLookAlikes(text, unquoted)}"`;

/** Spells out look-alikes only; `plain` writes everything else. */
export const spellLookAlikes = (text: string, plain = (part: string): string => part): string =>
  ASCII.test(text)
    ? plain(text)
    : text
        .split(WORDS)
        .map((part) => spellPart(part, plain))
        .join('');

/** For a name on a line of our own output. */
export const spellName = (name: string): string => visible(withoutDisguise(spellLookAlikes(name)));

function spellPart(part: string, plain: (part: string) => string): string {
  const disguises = disguisesIn(part);
  if (disguises.length === 0) return plain(part);
  return Array.from(part, (char) =>
    disguises.some((pattern) => pattern.test(char)) ? escaped(char) : plain(char),
  ).join('');
}

/** A word of two alphabets, or of letters that only look Latin, is a disguise. */
function disguisesIn(part: string): RegExp[] {
  const isMixed = OTHER_ALPHABET.test(part) && (LATIN.test(part) || LIKE_LATIN.test(part));
  return [
    ...(LIKE_ASCII.test(part) ? [LIKE_ASCII] : []),
    ...(isMixed ? [OTHER_ALPHABET] : []),
    ...(STACKED.test(part) ? [ACCENT] : []),
  ];
}

const unquoted = (text: string): string => quotedVisibly(text).slice(1, -1);

const escaped = (char: string): string =>
  Array.from(
    { length: char.length },
    (_, at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');
