/** A URL in pieces that make the same text again when they are joined: nothing is normalised. */
export interface UrlParts {
  /** What is before and after the account: `https://` and `host:port`. */
  readonly origin: readonly [scheme: string, host: string];
  readonly user: string | undefined;
  readonly password: string | undefined;
  /** Of the path, joined by slashes; the first one is empty. */
  readonly segments: readonly string[];
  readonly query: readonly (readonly [key: string, value: string | undefined])[];
  readonly hash: string;
}

const URL_TEXT =
  /^([a-z][a-z\d+.-]*:\/\/)(?:([^/?#@:]*)(?::([^/?#@]*))?@)?([^/?#]*)([^?#]*)(?:\?([^#]*))?(#.*)?$/is;

/** Undefined for a text that is no URL. */
export function splitUrl(text: string): UrlParts | undefined {
  const match = URL_TEXT.exec(text);
  if (match === null) return undefined;
  const [, scheme = '', user, password, host = '', path = '', query, hash = ''] = match;
  return {
    origin: [scheme, host],
    user,
    password,
    segments: path.split('/'),
    query: query === undefined ? [] : query.split('&').map(splitPair),
    hash,
  };
}

function splitPair(text: string): readonly [string, string | undefined] {
  const at = text.indexOf('=');
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}
