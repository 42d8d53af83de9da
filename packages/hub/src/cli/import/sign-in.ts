import type { ServerDraft } from '../../config/import/types.ts';
import { isLoopbackHost } from '../../core/loopback.ts';

/** `needed`: the client signs in to it. `maybe`: nothing says who we are. */
export type SignIn = 'needed' | 'maybe' | 'no';

/** Tokens of other clients are not taken along: each signs in for itself. */
export function signInOf({ url, apiKey, headers = {} }: ServerDraft, signsIn: boolean): SignIn {
  if (url === undefined) return 'no';
  if (signsIn) return 'needed';
  const isLocal = isLoopbackHost(URL.parse(url)?.hostname ?? '');
  const isKnown = apiKey !== undefined || Object.keys(headers).length > 0 || url.includes('${secret:');
  return isLocal || isKnown ? 'no' : 'maybe';
}
