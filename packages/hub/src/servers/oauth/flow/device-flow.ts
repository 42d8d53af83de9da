/** Sign-in with a browser on another device (RFC 8628): Pincer polls the token endpoint until the person has agreed. */
import { setTimeout as sleep } from 'node:timers/promises';
import { deviceAuthorizationRequest } from 'oauth4webapi';
import { PincerError } from '../../../core/errors.ts';
import { visible } from '../../../core/visible.ts';
import { DEVICE_GRANT } from '../client/client-metadata.ts';
import { chooseClient } from '../client/registration.ts';
import { neededTextIn, readObject, textIn } from '../read-json.ts';
import { checkedUrl } from '../guard/bounds.ts';
import { askEndpoint, clientAuth, definedIn, tokenRefusal } from '../token/token-endpoint.ts';
import { scopeText } from '../scopes.ts';
import { newState } from './authorization.ts';
import {
  createRedeemer,
  tooLate,
  type Flow,
  type FlowParts,
  type Redeemer,
  type SignInOutcome,
} from './flow.ts';

const WHAT = 'The device authorization endpoint';
/** RFC 8628 §3.5. */
const SLOW_DOWN_MS = 5_000;
const MAX_INTERVAL_MS = 60_000;

export async function beginDeviceFlow(parts: FlowParts): Promise<Flow> {
  const { fetch, server, auth, discovered, scopes, clientMetadataUrl, known, limits } = parts;
  const { bounds, authorizationServer: metadata } = discovered;
  if (metadata.device_authorization_endpoint === undefined)
    throw new PincerError(
      'SIGN_IN_FAILED',
      `${metadata.issuer} does not support signing in on another device.`,
      {
        hint: `Remove servers.${server}.auth.flow; \`pincer login ${server} --no-browser\` works without a browser here, too.`,
      },
    );
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
  const link = checkedUrl(complete ?? address, bounds, 'The page to sign in at').href;
  const userCode = visible(neededTextIn(fields, 'user_code', WHAT).slice(0, 64));
  const polling = new AbortController();
  const ended = poll(redeemer, {
    server,
    deviceCode: neededTextIn(fields, 'device_code', WHAT),
    intervalMs: Math.min(Math.max(Number.isFinite(seconds) ? seconds : 5, 1) * 1_000, MAX_INTERVAL_MS),
    endsAt: performance.now() + (lifeMs > 0 ? lifeMs : limits.signInMs),
    signal: polling.signal,
  });
  return {
    link,
    userCode,
    state: newState(),
    scopes,
    ended,
    complete: () =>
      Promise.reject(
        new PincerError('USAGE', 'This sign-in takes no code: it completes after you agree in the browser.'),
      ),
    cancel: (reason) => polling.abort(reason),
  };
}

interface Polling {
  readonly server: string;
  readonly deviceCode: string;
  readonly intervalMs: number;
  readonly endsAt: number;
  readonly signal: AbortSignal;
}

async function poll(redeemer: Redeemer, polling: Polling): Promise<SignInOutcome> {
  let { intervalMs } = polling;
  while (performance.now() + intervalMs < polling.endsAt) {
    try {
      await sleep(intervalMs, undefined, { signal: polling.signal, ref: false });
      const grant = await redeemer.redeem({ grant_type: DEVICE_GRANT, device_code: polling.deviceCode });
      return { ok: true, grant };
    } catch (error) {
      if (polling.signal.aborted) return { ok: false, error: PincerError.from(polling.signal.reason) };
      const reason = PincerError.from(error);
      const code = reason.data?.['oauthError'];
      if (code === 'slow_down') intervalMs += SLOW_DOWN_MS;
      // RFC 8628 §3.5: back off if there is no answer.
      else if (reason.data?.['isUnanswered'] === true) intervalMs = Math.min(intervalMs * 2, MAX_INTERVAL_MS);
      else if (code !== 'authorization_pending') return { ok: false, error: reason };
    }
  }
  return { ok: false, error: tooLate(polling.server) };
}
