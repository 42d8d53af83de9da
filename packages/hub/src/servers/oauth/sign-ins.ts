/** Signing in and out. The command line and `/mcp auth` offer it to people. */
import { LOCAL_CALLER } from '../../core/caller.ts';
import { PincerError } from '../../core/errors.ts';
import type { Limits } from '../../core/limits.ts';
import type { Clock, Log } from '../../core/ports.ts';
import { isOwnFlow, type AuthSettings } from './client/settings.ts';
import { probeChallenge, readChallenge, type Challenge } from './discovery/challenge.ts';
import { discover } from './discovery/discover.ts';
import { beginCodeFlow } from './flow/code-flow.ts';
import { beginDeviceFlow } from './flow/device-flow.ts';
import { beginOwnFlow } from './flow/own-flow.ts';
import type { Flow, FlowParts, SignInOutcome } from './flow/flow.ts';
import { chooseScopes, createStepUps } from './scopes.ts';
import { SHARED_CALLER, type Grant, type GrantStore } from './grant.ts';
import { boundsOfGrant } from './guard/bounds.ts';
import type { GuardedFetch } from './guard/guarded-fetch.ts';
import { readSigningKey } from './token/signing-keys.ts';
import { revoke } from './token/token-endpoint.ts';

export type { SignInOutcome } from './flow/flow.ts';

export interface SignInTarget {
  readonly url: URL;
  /** Further headers of each request; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly auth: AuthSettings;
}

export interface SignInParts {
  readonly store: GrantStore;
  readonly fetch: GuardedFetch;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: Pick<Limits, 'signInMs'>;
  /** Throws if there is no such server, or if it takes no sign-in. */
  target(server: string): SignInTarget;
  /** The address at which the person hosts Pincer's metadata document. */
  clientMetadataUrl(): string | undefined;
  openBrowser(link: string): Promise<boolean>;
  /** Called after a sign-in or sign-out: connections of the previous sign-in have to end. */
  onChanged(server: string, caller: string): void;
}

export interface BeginOptions {
  /** The id of the caller; used if every caller signs in. */
  readonly caller?: string | undefined;
  readonly openBrowser?: boolean | undefined;
  /** The `WWW-Authenticate` header of the server. */
  readonly challenge?: string | undefined;
  /** Overrides the scopes that the server asks for. */
  readonly scopes?: readonly string[] | undefined;
}

export interface SignIn {
  readonly link?: string | undefined;
  readonly userCode?: string | undefined;
  readonly state: string;
  readonly hasOpenedBrowser: boolean;
  readonly ended: Promise<SignInOutcome>;
}

export interface SignIns {
  /** Returns the same link as long as a sign-in to the server is under way. */
  begin(server: string, options?: BeginOptions): Promise<SignIn>;
  complete(server: string, codeOrAddress: string, caller?: string): Promise<Grant>;
  /** Cancels the sign-in under way. Nothing is saved, even if the browser comes back. */
  cancel(server: string, caller?: string): void;
  /** `wasRevoked`: the authorization server has revoked the grant. */
  signOut(
    server: string,
    caller?: string,
  ): Promise<{ readonly wasSignedIn: boolean; readonly wasRevoked: boolean }>;
  /** Removes and revokes the sign-ins of a caller whose token was removed. */
  forgetCaller(caller: string): Promise<void>;
  readonly count: number;
  stop(): void;
}

export function createSignIns(parts: SignInParts): SignIns {
  const { store, fetch, clock, log, limits } = parts;
  const flows = new Map<string, Flow>();
  const beginning = new Map<string, Promise<Flow>>();
  /** Clients whose sign-in failed: the authorization server may have forgotten them. */
  const doubtful = new Set<string>();
  const stepUps = createStepUps(clock, limits.signInMs);

  const ownerOf = ({ auth }: SignInTarget, caller: string | undefined): string =>
    auth.identity === 'per-caller' ? (caller ?? LOCAL_CALLER) : SHARED_CALLER;

  const isTrusted = ({ client, refused }: Grant): boolean =>
    !doubtful.has(client.clientId) && refused !== 'invalid_client' && refused !== 'unauthorized_client';

  interface FlowRequest {
    readonly server: string;
    readonly caller: string;
    readonly target: SignInTarget;
    /** The grant of the last sign-in. */
    readonly before: Grant | undefined;
    readonly scopes: readonly string[] | undefined;
    readonly challenge: Challenge | undefined;
  }

  async function start({ server, caller, target, before, ...request }: FlowRequest): Promise<Flow> {
    const { url, auth } = target;
    const given = request.challenge ?? (await probeChallenge(fetch, target));
    const challenge =
      given?.error === 'insufficient_scope' ? given : { ...given, ...storedChallenge(before) };
    const discovered = await discover({
      fetch,
      url,
      challenge,
      authorizationServerUrl: auth.authorizationServerUrl,
      knownIssuer: before?.key.issuer,
    });
    const { issuer, scopes_supported: issuerSupports } = discovered.authorizationServer;
    if (before !== undefined && before.key.issuer !== issuer && carriesSecret(auth))
      throw elsewhere(server, issuer);
    const isStepUp = challenge.error === 'insufficient_scope' && before?.key.issuer === issuer;
    const scopes = chooseScopes({
      configured: request.scopes ?? auth.scopes,
      challenged: challenge.scopes,
      resourceSupports: discovered.scopesSupported,
      // Pincer's own sign-ins can be repeated and need no refresh token.
      issuerSupports: isOwnFlow(auth.flow) ? undefined : issuerSupports,
      ...(isStepUp && { granted: before.scopes }),
    });
    if (isStepUp) stepUps.assertWorth(server, keyOf(server, caller), scopes);
    return KINDS[auth.flow ?? 'code']({
      fetch,
      clock,
      limits,
      server,
      caller,
      auth,
      discovered,
      scopes,
      clientMetadataUrl: parts.clientMetadataUrl(),
      known: before?.key.issuer === issuer && isTrusted(before) ? before.client : undefined,
      async save(grant) {
        await store.save(grant);
        log.info(`signed in to "${server}"`, { issuer, scopes: grant.scopes });
        parts.onChanged(server, caller);
      },
    });
  }

  async function follow(server: string, target: SignInTarget, options: BeginOptions): Promise<Flow> {
    const caller = ownerOf(target, options.caller);
    const key = keyOf(server, caller);
    const known = flows.get(key);
    // An unreadable grant is replaced by the new one.
    const before = await store.find(server, caller, target.url.href).catch(() => undefined);
    const challenge = readChallenge(options.challenge);
    const wanted = options.scopes ?? challenge?.scopes ?? before?.wanted ?? [];
    if (known !== undefined && wanted.every((scope) => known.scopes.includes(scope))) return known;
    known?.cancel(replaced(server));
    const flow = await start({ server, caller, target, before, scopes: options.scopes, challenge });
    flows.set(key, flow);
    void flow.ended.then(({ ok }) => {
      if (flows.get(key) === flow) flows.delete(key);
      if (!ok && before !== undefined) doubtful.add(before.client.clientId);
    });
    return flow;
  }

  return {
    async begin(server, options = {}) {
      const target = parts.target(server);
      const key = keyOf(server, ownerOf(target, options.caller));
      const attempt = beginning.get(key) ?? follow(server, target, options);
      beginning.set(key, attempt);
      const flow = await attempt.finally(() => beginning.delete(key));
      const { link, userCode, state, ended } = flow;
      const hasOpenedBrowser =
        options.openBrowser === true && link !== undefined && (await parts.openBrowser(link));
      return { link, userCode, state, hasOpenedBrowser, ended };
    },
    async complete(server, codeOrAddress, caller) {
      const flow = flows.get(keyOf(server, ownerOf(parts.target(server), caller)));
      if (flow === undefined) throw nothingUnderWay(server);
      return flow.complete(codeOrAddress);
    },
    cancel(server, caller) {
      const key = keyOf(server, ownerOf(parts.target(server), caller));
      const giveUp = (flow: Flow): void => flow.cancel(cancelled(server));
      const flow = flows.get(key);
      if (flow !== undefined) giveUp(flow);
      // A flow that is still starting would wait for a browser.
      else beginning.get(key)?.then(giveUp, () => undefined);
    },
    signOut(server, caller) {
      const target = parts.target(server);
      return end(server, ownerOf(target, caller), target.auth);
    },
    async forgetCaller(caller) {
      for (const { key } of await store.list()) if (key.caller === caller) await end(key.server, caller, {});
      await store.forgetCaller(caller);
    },
    get count() {
      return flows.size + beginning.size;
    },
    stop() {
      for (const flow of flows.values()) flow.cancel(stopped());
      // Flows that are still starting would wait for a browser.
      for (const attempt of beginning.values())
        attempt.then(
          (flow) => flow.cancel(stopped()),
          () => undefined,
        );
    },
  };

  async function end(server: string, owner: string, auth: AuthSettings): ReturnType<SignIns['signOut']> {
    flows.get(keyOf(server, owner))?.cancel(replaced(server));
    // An unreadable grant can still be removed.
    const grant = await store.find(server, owner).catch(() => 'unreadable' as const);
    if (grant === undefined) return { wasSignedIn: false, wasRevoked: false };
    await store.remove(server, owner);
    parts.onChanged(server, owner);
    return { wasSignedIn: true, wasRevoked: grant !== 'unreadable' && (await revokeGrant(grant, auth)) };
  }

  function revokeGrant(grant: Grant, { privateKey }: AuthSettings): Promise<boolean> {
    const { client, tokenEndpoint, revocationEndpoint } = grant;
    const bounds = boundsOfGrant(grant);
    const key = privateKey === undefined ? undefined : readSigningKey(privateKey);
    const authorizationServer = {
      issuer: grant.key.issuer,
      token_endpoint: tokenEndpoint,
      ...(revocationEndpoint !== undefined && { revocation_endpoint: revocationEndpoint }),
    };
    return revoke({ fetch, bounds, clock, authorizationServer, client, key }, grant);
  }
}

const KINDS: Readonly<Record<NonNullable<AuthSettings['flow']>, (parts: FlowParts) => Promise<Flow>>> = {
  code: beginCodeFlow,
  device: beginDeviceFlow,
  client: beginOwnFlow,
  workload: beginOwnFlow,
  enterprise: beginOwnFlow,
};

/**
 * A secret of one authorization server is never sent to another because the MCP server names it (SEP-2352). Only the
 * configuration can name another.
 */
const carriesSecret = ({ authorizationServerUrl, clientSecret, flow }: AuthSettings): boolean =>
  authorizationServerUrl === undefined && (clientSecret !== undefined || flow === 'workload');

const elsewhere = (server: string, issuer: string): PincerError =>
  new PincerError(
    'SIGN_IN_FAILED',
    `Server "${server}" has changed its authorization server to ${issuer}. The configured secret belongs to another one and was not sent.`,
    {
      hint: `If that is right, set the new secret in servers.${server}.auth, and auth.authorizationServerUrl to the new address.`,
    },
  );

/** The challenge for scopes that an earlier request lacked. */
const storedChallenge = (grant: Grant | undefined): Challenge =>
  grant?.wanted === undefined ? {} : { error: 'insufficient_scope', scopes: grant.wanted };

const keyOf = (server: string, caller: string): string => `${server}\u0000${caller}`;

const stopped = (): PincerError => new PincerError('SIGN_IN_FAILED', 'The hub was stopped.');

const cancelled = (server: string): PincerError =>
  new PincerError('CALL_CANCELLED', `The sign-in to "${server}" was cancelled.`);

const replaced = (server: string): PincerError =>
  new PincerError('SIGN_IN_FAILED', `Another sign-in to "${server}" replaced this one.`);

const nothingUnderWay = (server: string): PincerError =>
  new PincerError('SIGN_IN_FAILED', `No sign-in to "${server}" is in progress.`, {
    hint: `Start one with \`pincer login ${server} --no-browser\`, open its link, then enter the code.`,
  });
