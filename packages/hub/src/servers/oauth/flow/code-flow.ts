/** Sign-in with a browser (authorization code, RFC 6749 §4.1): on this machine, or elsewhere with the code pasted. */
import { PincerError } from '../../../core/errors.ts';
import { redirectUri } from '../client/client-metadata.ts';
import { chooseClient } from '../client/registration.ts';
import { hasS256, type ServerMetadata } from '../discovery/server-metadata.ts';
import type { Grant } from '../grant.ts';
import {
  authorizationUrl,
  codeFromCallback,
  codeFromPerson,
  isOwnState,
  newPkce,
  newState,
  type Expected,
} from './authorization.ts';
import {
  openCallbackListener,
  type CallbackEvents,
  type CallbackListener,
  type Page,
} from './callback-listener.ts';
import {
  createRedeemer,
  tooLate,
  type Flow,
  type FlowParts,
  type Redeemer,
  type SignInOutcome,
} from './flow.ts';

export async function beginCodeFlow(parts: FlowParts): Promise<Flow> {
  const { server, discovered, limits, scopes } = parts;
  const { authorizationServer: metadata, bounds } = discovered;
  const endpoint = pageOf(metadata);
  if (parts.auth.authorizationServerUrl === undefined) assertOneParty(metadata, server);
  const pkce = await newPkce();
  const state = newState();
  const { promise: ended, resolve } = Promise.withResolvers<SignInOutcome>();
  let redeemer: Redeemer | undefined;
  const expected = (): Expected => ({
    state,
    clientId: redeemer!.client.clientId,
    issuer: metadata.issuer,
    sendsIssuer: metadata.authorization_response_iss_parameter_supported === true,
  });
  /** A code works once. If it comes again, pasted by a person say, the first result is returned. */
  const redeemed = new Map<string, Promise<Grant>>();

  function end(outcome: SignInOutcome): void {
    clearTimeout(timer);
    listener.close();
    resolve(outcome);
  }

  function redeem(code: string): Promise<Grant> {
    const attempt = redeemed.get(code) ?? exchange(code);
    redeemed.set(code, attempt);
    // Without an answer, the code may not have been used: it can be tried again.
    attempt.catch((error: unknown) => {
      if (PincerError.from(error).data?.['isUnanswered'] === true) redeemed.delete(code);
    });
    return attempt;
  }

  async function exchange(code: string): Promise<Grant> {
    const grant = await redeemer!.redeem({
      grant_type: 'authorization_code',
      code,
      code_verifier: pkce.verifier,
      redirect_uri: redirect,
    });
    end({ ok: true, grant });
    return grant;
  }

  const listener = await openListener(parts, {
    isOwn: (params) => isOwnState(params, state),
    async onAnswer(params) {
      try {
        await redeem(codeFromCallback(params, expected()));
        return signedIn(server);
      } catch (error) {
        const reason = PincerError.from(error);
        end({ ok: false, error: reason });
        return notSignedIn(server, reason);
      }
    },
  });
  const redirect = redirectUri(listener.port);
  const timer = setTimeout(() => end({ ok: false, error: tooLate(server) }), limits.signInMs).unref();

  try {
    const { fetch, auth, clientMetadataUrl, known } = parts;
    const port = listener.port;
    const client = await chooseClient({
      fetch,
      bounds,
      server,
      auth,
      metadata,
      clientMetadataUrl,
      known,
      port,
    });
    redeemer = createRedeemer(parts, client);
    const link = authorizationUrl({
      endpoint,
      clientId: client.clientId,
      redirectUri: redirect,
      state,
      challenge: pkce.challenge,
      scopes,
      resource: redeemer.resource,
    });
    return {
      link,
      state,
      scopes,
      ended,
      complete: async (text) => redeem(codeFromPerson(text, expected())),
      cancel: (error) => end({ ok: false, error }),
    };
  } catch (error) {
    end({ ok: false, error: PincerError.from(error) });
    throw error;
  }
}

/** Refuses servers that do not announce PKCE, as MCP asks for: it binds a code to this sign-in. */
function pageOf(metadata: ServerMetadata): string {
  const { authorization_endpoint: page, issuer } = metadata;
  if (page === undefined)
    throw new PincerError('SIGN_IN_FAILED', `${issuer} has no page to sign in at.`, {
      hint: 'If it is meant for programs or devices, set auth.flow to "client" or "device".',
    });
  if (!hasS256(metadata))
    throw new PincerError(
      'SIGN_IN_FAILED',
      `${issuer} does not announce PKCE with S256 (code_challenge_methods_supported), and without it a code could be stolen.`,
      { hint: 'Tell the operator of that server. An API key may work instead.' },
    );
  return page;
}

/**
 * Prevents mix-up: a hostile authorization server could name the page of an honest one, and receive its code at its own
 * token endpoint. With `iss` in the response (RFC 9207) it cannot; without, both endpoints need the same origin.
 */
function assertOneParty(metadata: ServerMetadata, server: string): void {
  const { authorization_endpoint, token_endpoint, issuer } = metadata;
  const [page, token] = [authorization_endpoint!, token_endpoint].map((url) => new URL(url).origin);
  if (metadata.authorization_response_iss_parameter_supported === true || page === token) return;
  throw new PincerError(
    'SIGN_IN_FAILED',
    `${issuer} has its page to sign in at ${page} and takes codes at ${token}, and does not identify itself in its answer (RFC 9207): one could impersonate the other.`,
    { hint: `If both are right, name it: servers.${server}.auth.authorizationServerUrl = "${issuer}".` },
  );
}

/** Listens at the configured port, or at the one of the last registration if it is free. */
async function openListener({ auth, known }: FlowParts, events: CallbackEvents): Promise<CallbackListener> {
  if (auth.redirectPort !== undefined) return openCallbackListener(auth.redirectPort, events);
  if (known?.redirectPort === undefined) return openCallbackListener(0, events);
  return openCallbackListener(known.redirectPort, events).catch(() => openCallbackListener(0, events));
}

const signedIn = (server: string): Page => ({
  title: 'Signed in',
  text: `Pincer can use "${server}" now. You can close this page.`,
});

const notSignedIn = (server: string, { message }: PincerError): Page => ({
  title: 'Not signed in',
  text: `${message} To try again, begin a new sign-in to "${server}".`,
});
