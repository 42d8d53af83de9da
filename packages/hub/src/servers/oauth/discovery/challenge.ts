/** `WWW-Authenticate`: how a server says what it wants of whoever signs in (RFC 9110 §11.6.1, RFC 6750 §3). Pure. */
import { scopesIn } from '../scope-text.ts';

export interface Challenge {
  /** Where the metadata of the protected resource is (RFC 9728 §5.1). */
  readonly resourceMetadata?: string;
  readonly scopes?: readonly string[];
  readonly error?: string;
}

interface Raw {
  readonly scheme: string;
  readonly params: Map<string, string>;
}

const TOKEN = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+";
/** Each run of spaces is gone through once or twice: a header of nothing else would otherwise cost its square. */
const PARAM = new RegExp(`(?:\\s*,)?\\s*(${TOKEN})\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s,"]*))`, 'y');
const SCHEME = new RegExp(`[\\s,]*(${TOKEN})(?=[\\s,]|$)`, 'y');
const TOKEN68 = /\s+[A-Za-z0-9\-._~+/]+=*\s*(?=,|$)/y;

/** Undefined: nothing in it asks for a bearer token. */
export function readChallenge(header: string | undefined): Challenge | undefined {
  const all = parse(header ?? '').filter(({ scheme }) => scheme === 'bearer' || scheme === 'dpop');
  const best = all.find(({ params }) => params.has('resource_metadata')) ?? all[0];
  if (best === undefined) return undefined;
  const resourceMetadata = best.params.get('resource_metadata');
  const scopes = scopesIn(best.params.get('scope'));
  const error = best.params.get('error');
  return {
    ...(resourceMetadata !== undefined && { resourceMetadata }),
    ...(scopes.length > 0 && { scopes }),
    ...(error !== undefined && { error }),
  };
}

function parse(header: string): Raw[] {
  const found: Raw[] = [];
  let at = 0;
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const result = pattern.exec(header);
    if (result !== null) at = pattern.lastIndex;
    return result;
  };
  while (at < header.length) {
    const param = found.length === 0 ? null : match(PARAM);
    if (param !== null) {
      const [, name = '', quoted, plain = ''] = param;
      const { params } = found.at(-1)!;
      const key = name.toLowerCase();
      // The first word counts: a second one may be somebody else's.
      if (!params.has(key)) params.set(key, quoted?.replaceAll(/\\(.)/g, '$1') ?? plain);
      continue;
    }
    const scheme = match(SCHEME);
    if (scheme === null) break;
    found.push({ scheme: scheme[1]!.toLowerCase(), params: new Map() });
    match(TOKEN68);
  }
  return found;
}
