/** The `WWW-Authenticate` challenge of a server (RFC 9110 §11.6.1, RFC 6750 §3). */
import { hostsOf } from '../guard/bounds.ts';
import type { GuardedFetch } from '../guard/guarded-fetch.ts';
import { scopesIn } from '../scopes.ts';

export interface Challenge {
  /** The address of the metadata of the protected resource (RFC 9728 §5.1). */
  readonly resourceMetadata?: string;
  readonly scopes?: readonly string[];
  readonly error?: string;
}

interface Raw {
  readonly scheme: string;
  readonly params: Map<string, string>;
}

const TOKEN = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+";
/** Passes over each run of spaces at most twice. A header of nothing but spaces would otherwise take quadratic time. */
const PARAM = new RegExp(`(?:\\s*,)?\\s*(${TOKEN})\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s,"]*))`, 'y');
const SCHEME = new RegExp(`[\\s,]*(${TOKEN})(?=[\\s,]|$)`, 'y');
const TOKEN68 = /\s+[A-Za-z0-9\-._~+/]+=*\s*(?=,|$)/y;

/** Returns undefined if the header asks for no bearer token. */
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
      // On duplicates the first one wins: an intermediary may have added the second.
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

export interface ProbeTarget {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

/** Sends a request without a token to get the challenge. Returns undefined if there is none, or no answer. */
export async function probeChallenge(
  fetch: GuardedFetch,
  { url, headers }: ProbeTarget,
): Promise<Challenge | undefined> {
  try {
    const { status, headers: answered } = await fetch(
      url,
      { allowsPrivate: false, named: hostsOf(url) },
      {
        what: 'The server',
        method: 'POST',
        headers: {
          ...headers,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: PING,
      },
    );
    const challenge = [answered['www-authenticate'] ?? []].flat().join(', ');
    return status === 401 ? readChallenge(challenge) : undefined;
  } catch {
    return undefined;
  }
}
