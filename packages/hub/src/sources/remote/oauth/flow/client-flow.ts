/** Pincer signs in for itself, with a secret or a key of its own (RFC 6749 §4.4, RFC 7523). Nobody has to be there. */
import { PincerError } from '../../../../core/errors.ts';
import { chooseClient } from '../client/registration.ts';
import { newState } from './authorize-url.ts';
import type { Flow, FlowParts } from './flow.ts';
import { createRedeemer } from './redeem.ts';

export async function beginClientFlow(parts: FlowParts): Promise<Flow> {
  const { fetch, server, auth, discovered, scopes } = parts;
  const { bounds, authorizationServer: metadata } = discovered;
  if (auth.clientId === undefined || (auth.clientSecret ?? auth.privateKey) === undefined)
    throw new PincerError(
      'CONFIG_INVALID',
      `Server "${server}" has auth.flow "client" and nothing to sign in with.`,
      {
        hint: `Set servers.${server}.auth.clientId, and clientSecret or privateKey.`,
      },
    );
  const client = await chooseClient({ fetch, bounds, server, auth, metadata });
  const grant = await createRedeemer(parts, client).redeem({
    grant_type: 'client_credentials',
    scope: scopes.length === 0 ? undefined : scopes.join(' '),
  });
  return {
    state: newState(),
    scopes,
    ended: Promise.resolve({ ok: true, grant }),
    complete: () => Promise.resolve(grant),
    cancel: () => undefined,
  };
}
