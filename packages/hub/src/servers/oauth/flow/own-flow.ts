/** Pincer signs in by itself: with its own secret or key, with the machine's, or with an organisation's word. */
import { PincerError } from '../../../core/errors.ts';
import { chooseClient } from '../client/registration.ts';
import { scopeText } from '../scope-text.ts';
import { ownProof } from '../token/own-proof.ts';
import { newState } from './authorization.ts';
import type { Flow, FlowParts } from './flow.ts';
import { createRedeemer } from './redeem.ts';

export async function beginOwnFlow(parts: FlowParts): Promise<Flow> {
  const { fetch, clock, server, auth, discovered, scopes } = parts;
  const { bounds, authorizationServer: metadata, resource } = discovered;
  const hasProof = auth.flow !== 'client' || (auth.clientSecret ?? auth.privateKey) !== undefined;
  if (auth.clientId === undefined || !hasProof)
    throw new PincerError(
      'CONFIG_INVALID',
      `Server "${server}" has auth.flow "${auth.flow}" and nothing to sign in with.`,
      { hint: `Set servers.${server}.auth.clientId, and clientSecret or privateKey where it was given one.` },
    );
  const client = await chooseClient({ fetch, bounds, server, auth, metadata });
  const proof = await ownProof({ fetch, clock, auth, issuer: metadata.issuer, resource });
  const grant = await createRedeemer(parts, client).redeem({
    ...proof,
    scope: scopeText(scopes),
  });
  return {
    state: newState(),
    scopes,
    ended: Promise.resolve({ ok: true, grant }),
    complete: () => Promise.resolve(grant),
    cancel: () => undefined,
  };
}
