/** Somebody signs in with a browser on another device, and Pincer asks until they have (RFC 8628). */
import { setTimeout as sleep } from 'node:timers/promises';
import { deviceAuthorizationRequest } from 'oauth4webapi';
import { PincerError } from '../../../core/errors.ts';
import { visible } from '../../../core/visible.ts';
import { DEVICE_GRANT } from '../client/client-metadata.ts';
import { chooseClient } from '../client/registration.ts';
import { neededTextIn, readObject, textIn } from '../read-json.ts';
import type { Grant } from '../grant.ts';
import { placeOf } from '../guard/bounds.ts';
import { askEndpoint, clientAuth, definedIn, tokenRefusal } from '../token/token-endpoint.ts';
import { scopeText } from '../scope-text.ts';
import { newState } from './authorization.ts';
import type { Flow, FlowParts, SignInOutcome } from './flow.ts';
import { createRedeemer, type Redeemer } from './redeem.ts';

const WHAT = 'The device authorization endpoint';
/** RFC 8628 §3.5: how much slower, when it is asked to be. */
const SLOW_DOWN_MS = 5_000;
const MAX_INTERVAL_MS = 60_000;

export async function beginDeviceFlow(parts: FlowParts): Promise<Flow> {
  const { fetch, server, auth, discovered, scopes, clientMetadataUrl, known, limits } = parts;
  const { bounds, authorizationServer: metadata } = discovered;
  if (metadata.device_authorization_endpoint === undefined)
    throw new PincerError('SIGN_IN_FAILED', `${metadata.issuer} offers no sign-in by another device.`, {
      hint: `Remove servers.${server}.auth.flow; \`pincer login ${server} --no-browser\` works without a browser here, too.`,
    });
  const client = await chooseClient({ fetch, bounds, server, auth, metadata, clientMetadataUrl, known });
  const redeemer = createRedeemer(parts, client);
  const params = definedIn({ scope: scopeText(scopes), resource: redeemer.resource });
  const { status, text } = await askEndpoint(redeemer.tokenParts, WHAT, (options) =>
    deviceAuthorizationRequest(
      metadata,
      { client_id: client.clientId },
      clientAuth(redeemer.tokenParts),
      params,
      options,
    ),
  );
  if (status !== 200) throw tokenRefusal(status, text);
  const fields = readObject(text, WHAT);
  const seconds = Number(fields['interval'] ?? 5);
  const lifeMs = Math.min(Number(fields['expires_in'] ?? 600) * 1_000, limits.signInMs);
  const address = neededTextIn(fields, 'verification_uri', WHAT);
  const complete = textIn(fields, 'verification_uri_complete');
  const link = placeOf(complete ?? address, bounds, 'The page to sign in at').href;
  const userCode = visible(neededTextIn(fields, 'user_code', WHAT).slice(0, 64));
  const asking = new AbortController();
  const ended = askUntil(redeemer, {
    server,
    deviceCode: neededTextIn(fields, 'device_code', WHAT),
    intervalMs: Math.min(Math.max(Number.isFinite(seconds) ? seconds : 5, 1) * 1_000, MAX_INTERVAL_MS),
    endsAt: performance.now() + (lifeMs > 0 ? lifeMs : limits.signInMs),
    signal: asking.signal,
  });
  return {
    link,
    userCode,
    state: newState(),
    scopes,
    ended,
    complete: () =>
      Promise.reject(
        new PincerError('USAGE', 'This sign-in takes no code: it ends by itself when you have agreed there.'),
      ),
    cancel: (reason) => asking.abort(reason),
  };
}

interface Asking {
  readonly server: string;
  readonly deviceCode: string;
  readonly intervalMs: number;
  readonly endsAt: number;
  readonly signal: AbortSignal;
}

async function askUntil(redeemer: Redeemer, asking: Asking): Promise<SignInOutcome> {
  let { intervalMs } = asking;
  while (performance.now() + intervalMs < asking.endsAt) {
    try {
      await sleep(intervalMs, undefined, { signal: asking.signal, ref: false });
      return { ok: true, grant: await ask(redeemer, asking.deviceCode) };
    } catch (error) {
      if (asking.signal.aborted) return { ok: false, error: PincerError.from(asking.signal.reason) };
      const reason = PincerError.from(error);
      const said = reason.data?.['oauthError'];
      if (said === 'slow_down') intervalMs += SLOW_DOWN_MS;
      // RFC 8628 §3.5: what got no answer is asked again, ever more slowly.
      else if (reason.data?.['isUnanswered'] === true) intervalMs = Math.min(intervalMs * 2, MAX_INTERVAL_MS);
      else if (said !== 'authorization_pending') return { ok: false, error: reason };
    }
  }
  const hint = `Begin anew: \`pincer login ${asking.server}\`.`;
  const error = new PincerError('SIGN_IN_FAILED', `Nobody has signed in to "${asking.server}" in time.`, {
    hint,
  });
  return { ok: false, error };
}

const ask = (redeemer: Redeemer, deviceCode: string): Promise<Grant> =>
  redeemer.redeem({ grant_type: DEVICE_GRANT, device_code: deviceCode });
