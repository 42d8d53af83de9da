/**
 * Hides secrets from the person who decides about a call, but never more than a token could be. The text comes from a
 * model, which would otherwise choose what the person does not see.
 */
import { DATA, KNOWN, looksRandom, NAME, RUN, WEB_TOKEN, type Hiding } from './redact-secrets.ts';

const mark = (text: string): string =>
  `[redacted, ${text.length} ${text.length === 1 ? 'character' : 'characters'}]`;

/** No spaces, quotes, separators or brackets. Does not begin like a path or a flag. */
const TOKEN = String.raw`[A-Za-z0-9_+=:@%!*^#][\w.~+/=:@%!*^#-]{0,4095}`;
const SCHEMES = String.raw`(?:(?:bearer|basic|token|negotiate)\s{1,8})?`;
const WHOLE = new RegExp(`^(${SCHEMES})(${TOKEN})$`, 'i');

/** Armoured base64. A line shorter than the others is the last. */
const ARMOUR =
  /-----BEGIN [A-Z0-9 ]{0,64}-----(?:\s{1,2}[A-Za-z0-9+/=]{16,128})*(?:\s{1,2}[A-Za-z0-9+/=]{1,15}(?=\s{0,2}-----END ))?(?:\s{0,2}-----END [A-Z0-9 ]{0,64}-----)?/g;
const IN_URL = /(:\/\/[\w.~%!*+=-]{0,256}:)([\w.~%!*+=:^-]{1,1024})(?=@)/g;
const NAMED = new RegExp(
  String.raw`((?:${NAME}|cookie)\\{0,4}["']?\s{0,8}[:=]\s{0,8}\\{0,4}["']?${SCHEMES})(?!digest\s)(${TOKEN})`,
  'gi',
);
const FLAG = new RegExp(String.raw`(--?[\w-]{0,32}?${NAME}\s{1,8}["']?)(${TOKEN})`, 'gi');
const SCHEME = /\b(bearer\s{1,8}(?=\S{6})|basic\s{1,8}(?=[A-Za-z0-9+/=]{16}))([\w.~+/=:-]+)/gi;
const DIGEST = /(\bdigest\s[^\r\n]{0,256}?\bresponse\s?=\s?\\{0,4}"?)(\w{1,256})/gi;

const after = (_all: string, before: string, secret: string): string => before + mark(secret);

/** Named values first: the other patterns would leave a name without its value. */
export const hideTokens = (text: string): string =>
  text
    .replaceAll(ARMOUR, mark)
    .replaceAll(IN_URL, after)
    .replaceAll(DIGEST, after)
    .replaceAll(NAMED, after)
    .replaceAll(FLAG, after)
    .replaceAll(SCHEME, after)
    .replaceAll(WEB_TOKEN, mark)
    .replaceAll(DATA, mark)
    .replaceAll(KNOWN, mark)
    .replaceAll(RUN, (run) => (looksRandom(run) ? mark(run) : run));

export const TOKENS_ONLY: Hiding = {
  inText: hideTokens,
  inSecret: (text) => (WHOLE.test(text) ? text.replace(WHOLE, after) : hideTokens(text)),
};
