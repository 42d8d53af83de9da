/** Finds likely secrets in a text, by the name before them or by their shape. Every pattern takes linear time. */
export const HIDDEN = '[redacted]';

export interface Hiding {
  /** The text with likely secrets hidden. */
  inText(text: string): string;
  /** The same for a text under a secret name; absent: such values are hidden completely. */
  inSecret?(text: string): string;
}

const WORD = String.raw`(?:authorization|(?:api|access|private|auth)[-_ ]?key|pass(?:word|wd|phrase|code)|pwd|secret|token|credential)[\w-]{0,32}`;
/** `pass` alone is a common word. As a name, it is directly followed by a value. */
export const NAME = String.raw`(?:${WORD}|(?<![A-Za-z0-9])pass(?==|\\{0,4}["']\s{0,8}:))`;

/** Armoured keys and certificates. Without an end mark, everything to the end. */
const ARMOUR = /-----BEGIN [^-]{0,64}-----[^]*?(?:-----END [^-]{0,64}-----|$)/g;
const IN_URL = /:\/\/[^\s/?#@:]{0,256}:[^\s/?#@]{1,1024}@/g;
/** A header's whole line: cookies, and unknown schemes. */
const HEADER = /((?:authorization|cookie)\\{0,4}["']?\s{0,8}[:=]\s{0,8}\\{0,4}["']?)[^\r\n"'\\]+/gi;
/** Its parts are quoted. */
const DIGEST = /\b(digest)\s{1,8}\w{1,32}\s?=[^\r\n]*/gi;
const SCHEME = /\b(bearer)\s{1,8}[\w.~+/=:-]{6,}|\b(basic)\s{1,8}[A-Za-z0-9+/=]{16,}/gi;
const NAMED = new RegExp(
  String.raw`(${NAME}\\{0,4}["']?\s{0,8}[:=]\s{0,8}\\{0,4})(?:"[^"\r\n]{0,4096}"?|'[^'\r\n]{0,4096}'?|[^\s"'&;,]+)`,
  'gi',
);
const FLAG = new RegExp(
  String.raw`(--?[\w-]{0,32}?${NAME}\s{1,8})(?:"[^"\r\n]{0,4096}"?|'[^'\r\n]{0,4096}'?|[^\s"']+)`,
  'gi',
);
/** Tokens of well-known services, recognized by their prefixes. */
export const KNOWN = new RegExp(
  [
    String.raw`(?<![A-Za-z0-9])[spr]k[-_][\w-]{16,}`,
    String.raw`gh[oprsu]_[A-Za-z0-9]{16,}`,
    String.raw`github_pat_\w{16,}`,
    String.raw`glpat-[\w-]{16,}`,
    String.raw`xox[a-z]-[\w-]{8,}`,
    String.raw`xapp-[\w-]{16,}`,
    String.raw`A(?:KIA|SIA)[A-Z0-9]{16,}`,
    String.raw`AIza[\w-]{30,}`,
    String.raw`ya29\.[\w-]{16,}`,
    String.raw`(?<![A-Za-z0-9])(?:npm|hf|dop_v1|shpat|SG)[._][\w.-]{20,}`,
  ].join('|'),
  'g',
);
export const WEB_TOKEN = /(?<![A-Za-z0-9+/_-])eyJ[\w-]{16,}[\w.=-]*/g;
/** A run of this length is data of some kind. */
export const DATA = /[A-Za-z0-9+/_=-]{128,}|[0-9A-Fa-f]{64,}/g;
export const RUN = /[A-Za-z0-9+/_=-]{32,}/g;

/** Every word-based pattern contains one of these. */
const WORDS = /auth|cookie|bearer|basic|digest|key|pass|pwd|secret|token|credential/i;
/** Every shape-based pattern needs a run of at least this many characters without a space. */
const SHORTEST_SHAPE = 13;

/** For addresses such as those of a proxy or a package registry. */
export const hideUrlPasswords = (text: string): string => text.replaceAll(IN_URL, `://${HIDDEN}@`);

/** Returns the text with likely secrets hidden. Most texts have nothing that a pattern could start with. */
export function hideSecrets(text: string): string {
  const hasWords = WORDS.test(text);
  const isLong = hasLongRun(text);
  let hidden = text;
  if (text.includes('-----BEGIN ')) hidden = hidden.replaceAll(ARMOUR, HIDDEN);
  if (isLong) hidden = hidden.replaceAll(WEB_TOKEN, HIDDEN).replaceAll(DATA, HIDDEN);
  if (text.includes('://')) hidden = hideUrlPasswords(hidden);
  if (hasWords)
    hidden = hidden
      .replaceAll(DIGEST, `$1 ${HIDDEN}`)
      .replaceAll(HEADER, `$1${HIDDEN}`)
      .replaceAll(SCHEME, (_all, bearer?: string, basic?: string) => `${bearer ?? basic} ${HIDDEN}`);
  if (isLong) hidden = hidden.replaceAll(KNOWN, HIDDEN);
  if (hasWords) hidden = hidden.replaceAll(NAMED, `$1${HIDDEN}`).replaceAll(FLAG, `$1${HIDDEN}`);
  if (isLong) hidden = hidden.replaceAll(RUN, (run) => (looksRandom(run) ? HIDDEN : run));
  return hidden;
}

/** Checks for a run of token characters and some more. The patterns decide later. */
function hasLongRun(text: string): boolean {
  let run = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    run = code > 0x2a && code < 0x7b ? run + 1 : 0;
    if (run === SHORTEST_SHAPE) return true;
  }
  return false;
}

/** Words and paths made of words rarely switch between kinds of characters; keys often do. */
export function looksRandom(run: string): boolean {
  const isPath = run.includes('/') && !run.includes('+') && !run.endsWith('=');
  if (isPath) return run.split('/').some((part) => part.length >= 24 && looksRandom(part));
  const kinds = Array.from(run, kindOf);
  if (!KINDS.every((kind) => kinds.includes(kind))) return false;
  const changes = kinds.filter((kind, at) => kind !== '' && kinds[at - 1] !== '' && kind !== kinds[at - 1]);
  return changes.length / run.length > 0.35;
}

const KINDS = ['a', 'A', '0'];

function kindOf(char: string): string {
  if (char >= 'a' && char <= 'z') return 'a';
  if (char >= 'A' && char <= 'Z') return 'A';
  return char >= '0' && char <= '9' ? '0' : '';
}

export const EVERYTHING: Hiding = { inText: hideSecrets };
