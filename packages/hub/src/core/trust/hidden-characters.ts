/**
 * Characters that are invisible or change what a person sees: controls, everything that Unicode calls default ignorable
 * (zero-width, bidirectional, tags, variation selectors, fillers), and lone surrogates.
 */
const CLASS = String.raw`\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\p{Cc}\p{Cs}\u2028\u2029\ufff9-\ufffb\u{13430}-\u{1343f}`;

/** Includes line breaks and tabs. */
export const HIDDEN_IN_LINE = new RegExp(`[${CLASS}]`, 'gv');
export const HIDDEN_IN_BLOCK = new RegExp(`[[${CLASS}]--[\n\t]]`, 'gv');
/** For JSON, where ASCII controls are already escaped and line breaks separate values. */
export const HIDDEN_IN_JSON = new RegExp(`[[${CLASS}]--[\\u0000-\\u007e]]`, 'gv');
/** Includes tabs, and spaces that look like the plain space. */
export const HIDDEN_OR_ALIKE = new RegExp(`[[${CLASS}\\p{Zs}]--[\n ]]`, 'gv');

/** Replaces hidden characters, except where a script or an emoji needs them. */
export function replaceHidden(text: string, hidden: RegExp, replacement: (char: string) => string): string {
  let out = '';
  let from = 0;
  /** The last character of `out`. */
  let before = '';
  for (const { 0: char, index } of text.matchAll(hidden)) {
    if (index > from) before = charBefore(text, index);
    out += text.slice(from, index);
    from = index + char.length;
    if (belongs(char, before, charAt(text, from))) {
      out += char;
      before = char;
      continue;
    }
    const shown = replacement(char);
    out += shown;
    if (shown !== '') before = '';
  }
  return from === 0 ? text : out + text.slice(from);
}

const NON_JOINER = '\u200c';
const JOINER = '\u200d';
const KEYCAP = '\u20e3';

/**
 * Letters and marks of the living scripts that use joiners and non-joiners. Compiled lazily: so many scripts take 4 ms,
 * which would slow down every command.
 */
const isJoining = (char: string): boolean =>
  /^[[[\p{scx=Adlam}\p{scx=Arabic}\p{scx=Balinese}\p{scx=Bengali}\p{scx=Devanagari}\p{scx=Gujarati}\p{scx=Gurmukhi}\p{scx=Javanese}\p{scx=Kannada}\p{scx=Khmer}\p{scx=Malayalam}\p{scx=Mandaic}\p{scx=Mongolian}\p{scx=Myanmar}\p{scx=Nko}\p{scx=Oriya}\p{scx=Sinhala}\p{scx=Sundanese}\p{scx=Syriac}\p{scx=Tamil}\p{scx=Telugu}\p{scx=Tibetan}]&&[\p{L}\p{M}]]--\p{Default_Ignorable_Code_Point}]$/v.test(
    char,
  );
const MONGOLIAN_LETTER = /^[\p{Script=Mongolian}&&\p{L}]$/v;
const PICTURE = /^\p{Extended_Pictographic}$/v;
const PICTURE_OR_ITS_END = /^[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f]$/v;
/** Unicode counts digits, `#` and `*` as emoji. Here they count only in a keycap. */
const HAS_STYLES = /^[\p{Emoji}--[0-9#*]]$/v;
const ON_KEYCAPS = /^[0-9#*]$/;

/** Whether a script such as Persian, Hindi or Mongolian, or an emoji, needs this character here. Accepts one, not a row. */
function belongs(char: string, before: string, after: string): boolean {
  switch (char) {
    case NON_JOINER:
    case JOINER:
      if (before === NON_JOINER || before === JOINER) return false;
      if (isJoining(before) || isJoining(after)) return true;
      return char === JOINER && PICTURE_OR_ITS_END.test(before) && PICTURE.test(after);
    case '\ufe0e':
    case '\ufe0f':
      return HAS_STYLES.test(before) || (ON_KEYCAPS.test(before) && after === KEYCAP);
    case '\u180b':
    case '\u180c':
    case '\u180d':
    case '\u180e':
    case '\u180f':
      return MONGOLIAN_LETTER.test(before);
    default:
      return false;
  }
}

const charAt = (text: string, at: number): string =>
  at < text.length ? String.fromCodePoint(text.codePointAt(at)!) : '';

function charBefore(text: string, at: number): string {
  const pair = at < 2 ? '' : text.slice(at - 2, at);
  return pair.codePointAt(0)! > 0xff_ff ? pair : text.charAt(at - 1);
}
