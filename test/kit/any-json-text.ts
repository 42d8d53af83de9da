/**
 * Arbitrary JSON texts as servers may write them: duplicate keys, any order, escapes, whitespace, hidden characters.
 * For unit tests.
 */
import fc, { type Arbitrary } from 'fast-check';
import { anyChar } from './any-text.ts';

/** Invisible characters that can hide text, and terminal control characters. */
const HIDDEN =
  '\u200b \u200c \u200d \u200e \u00ad \u061c \u202e \u2066 \ufeff \u180b \u180e \u{e0041} \u{e007f} \u{e0100} \ufe00 ' +
  '\ufe0e \ufe0f \u3164 \u034f \u2028 \u17b4 \u{1fffe} \u0000 \u007f \u001b [ ] 3 m \u0007 \u009b \u009d \u009c \\';
/** Characters next to which some of the hidden ones are legitimate. */
const PLACES = 'a # \u20e3 ه ی क ् ᠭ 👨 🏽 ❤ 🔥';

const hiddenOrJoined = fc.constantFrom(
  ...`${HIDDEN} ${PLACES}`.split(' '),
  ' ',
  '\r',
  '\n',
  '\t',
  '\ud800',
  '\udc00',
);

export const anyUnit = fc.oneof(hiddenOrJoined, anyChar);

const hex4 = (code: number): string => `\\u${code.toString(16).padStart(4, '0')}`;

const escaped = (char: string): string =>
  [...Array(char.length).keys()].map((index) => hex4(char.charCodeAt(index))).join('');

/** One character, escaped, or raw where JSON allows it. */
const spelled = fc
  .tuple(anyUnit, fc.boolean())
  .map(([char, isRaw]) =>
    isRaw && char >= ' ' && char !== '"' && char !== '\\' && char.isWellFormed() ? char : escaped(char),
  );

const text = fc.array(spelled, { maxLength: 8 }).map((chars) => `"${chars.join('')}"`);
const key = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('"description"', '"title"', '"d\\u0065scription"') },
  {
    weight: 3,
    arbitrary: fc.constantFrom('"default"', '"enum"', '"properties"', '"inputSchema"', '"a"', '"b"'),
  },
  { weight: 1, arbitrary: text },
);
const word = fc.constantFrom('0', '-0', '1.0', '1', '99999999999999999999', '1e400', 'true', 'null');
const space = fc.constantFrom('', '', ' ', '\n\t');

const inner = fc.letrec<{ value: string; list: string; members: string }>((tie) => {
  const padded = (part: Arbitrary<string>): Arbitrary<string> =>
    fc.tuple(space, part, space).map((parts) => parts.join(''));
  const pair = fc.tuple(padded(key), padded(tie('value'))).map((parts) => parts.join(':'));
  return {
    value: fc.oneof({ maxDepth: 4, withCrossShrink: true }, text, word, tie('list'), tie('members')),
    list: fc.array(padded(tie('value')), { maxLength: 3 }).map((parts) => `[${parts.join(',')}]`),
    members: fc.array(pair, { maxLength: 4 }).map((parts) => `{${parts.join(',')}}`),
  };
});

/** Any JSON value as characters; `toByteText` turns it into bytes. */
export const anyJsonText: Arbitrary<string> = inner.value;
export const anyMembersText: Arbitrary<string> = inner.members;
