/** Knocks at a server without a token, to be told what it wants. */
import type { GuardedFetch } from '../guard/guarded-fetch.ts';
import { hostsOf } from '../guard/bounds.ts';
import { readChallenge, type Challenge } from './challenge.ts';

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

export interface Door {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

/** Undefined: it says nothing; its well-known addresses may. */
export async function askForChallenge(
  fetch: GuardedFetch,
  { url, headers }: Door,
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
    const said = [answered['www-authenticate'] ?? []].flat().join(', ');
    return status === 401 ? readChallenge(said) : undefined;
  } catch {
    return undefined;
  }
}
