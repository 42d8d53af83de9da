/** How Pincer proves to a token endpoint that it is the client. Pure. */
import type { ClientAuthMethod } from '../grant.ts';

/** With a secret, as the authorization server likes it best; RFC 8414 §2: if it says nothing, HTTP Basic. */
export function methodWithSecret(supported: readonly string[] | undefined): ClientAuthMethod {
  if (supported === undefined || supported.includes('client_secret_basic')) return 'client_secret_basic';
  return supported.includes('client_secret_post') ? 'client_secret_post' : 'client_secret_basic';
}

/** What to ask for when Pincer registers: a program on a person's machine keeps no secret, if that is let pass. */
export function methodToRegister(supported: readonly string[] | undefined): ClientAuthMethod {
  if (supported === undefined || supported.includes('none')) return 'none';
  return methodWithSecret(supported);
}

const KNOWN: readonly string[] = ['none', 'client_secret_basic', 'client_secret_post'];

/** What it was given: the authorization server has the last word. */
export function methodGiven(
  given: string | undefined,
  secret: string | undefined,
  supported: readonly string[] | undefined,
): ClientAuthMethod {
  if (given !== undefined && KNOWN.includes(given) && (given === 'none') === (secret === undefined))
    return given as ClientAuthMethod;
  if (secret === undefined) return 'none';
  return given === 'none' && (supported?.includes('none') ?? false) ? 'none' : methodWithSecret(supported);
}
