/** Signing in and out, for whoever offers it to people: the command line, and `/mcp auth`. */
import { LOCAL_CALLER } from '../../core/caller.ts';
import { PincerError } from '../../core/errors.ts';
import type { Limits } from '../../core/limits.ts';
import type { Clock, Log } from '../../core/ports.ts';
import type { AuthSettings } from './client/settings.ts';
import { readChallenge, type Challenge } from './discovery/challenge.ts';
import { discover } from './discovery/discover.ts';
import { askForChallenge } from './discovery/probe.ts';
import { beginCodeFlow } from './flow/code-flow.ts';
import { beginDeviceFlow } from './flow/device-flow.ts';
import { beginOwnFlow } from './flow/own-flow.ts';
import type { Flow, FlowParts, SignInOutcome } from './flow/flow.ts';
import { chooseScopes } from './flow/scopes.ts';
import { createStepUps } from './flow/step-ups.ts';
import { SHARED_CALLER, type Grant, type GrantStore } from './grant.ts';
import { boundsOfGrant } from './guard/bounds.ts';
import type { GuardedFetch } from './guard/guarded-fetch.ts';
import { readSigningKey } from './token/signing-keys.ts';
import { isOwnFlow } from './token/own-proof.ts';
import { revoke } from './token/token-endpoint.ts';

export type { SignInOutcome } from './flow/flow.ts';

/** A server that can be signed in to. */
export interface SignInTarget {
  readonly url: URL;
  /** What goes with each request besides, by names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly auth: AuthSettings;
}

export interface SignInParts {
  readonly store: GrantStore;
  readonly fetch: GuardedFetch;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: Pick<Limits, 'signInMs'>;
  /** Throws where there is no such server, or none that is signed in to. */
  target(server: string): SignInTarget;
  /** Where the person hosts Pincer's metadata document. */
  clientMetadataUrl(): string | undefined;
  openBrowser(link: string): Promise<boolean>;
  /** Somebody has signed in or out: what was connected with another sign-in is not any more. */
  onChanged(server: string, caller: string): void;
}

export interface BeginOptions {
  /** The id of whoever signs in; it matters where everyone does for themselves. */
  readonly caller?: string | undefined;
  readonly openBrowser?: boolean | undefined;
  /** `WWW-Authenticate`, as the server sent it. */
  readonly challenge?: string | undefined;
  /** Instead of those that the server asks for. */
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
  /** The link is there at once; the same one as long as a sign-in to that server is under way. */
  begin(server: string, options?: BeginOptions): Promise<SignIn>;
  complete(server: string, codeOrAddress: string, caller?: string): Promise<Grant>;
  /** `wasRevoked`: the authorization server knows of it, too. */
  /** Gives up the sign-in that is under way, if there is one: nothing is saved, even if the browser comes back. */
  cancel(server: string, caller?: string): void;
  signOut(
    server: string,
    caller?: string,
  ): Promise<{ readonly wasSignedIn: boolean; readonly wasRevoked: boolean }>;
  /** Whoever has no token any more has no sign-ins either. */
  forgetCaller(caller: string): Promise<void>;
  readonly count: number;
  stop(): void;
}

export function createSignIns(parts: SignInParts): SignIns {
  const { store, fetch, clock, log, limits } = parts;
  const flows = new Map<string, Flow>();
  const beginning = new Map<string, Promise<Flow>>();
  /** Clients that came to nothing: the authorization server may have forgotten them. */
  const doubtful = new Set<string>();
  const stepUps = createStepUps(clock, limits.signInMs);

  const whose = ({ auth }: SignInTarget, caller: string | undefined): string =>
    auth.identity === 'per-caller' ? (caller ?? LOCAL_CALLER) : SHARED_CALLER;

  const isTrusted = ({ client, refused }: Grant): boolean =>
    !doubtful.has(client.clientId) && refused !== 'invalid_client' && refused !== 'unauthorized_client';

  interface Wish {
    readonly server: string;
    readonly caller: string;
    readonly target: SignInTarget;
    /** What was given before. */
    readonly before: Grant | undefined;
    readonly scopes: readonly string[] | undefined;
    /** As the server has said it just now. */
    readonly said: Challenge | undefined;
  }

  async function start({ server, caller, target, before, ...wish }: Wish): Promise<Flow> {
    const { url, auth } = target;
    const said = wish.said ?? (await askForChallenge(fetch, target));
    const challenge = said?.error === 'insufficient_scope' ? said : { ...said, ...lackOf(before) };
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
      configured: wish.scopes ?? auth.scopes,
      challenged: challenge.scopes,
      resourceSupports: discovered.scopesSupported,
      // Whoever signs in for itself can do so again at any time.
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
        log.info(`somebody has signed in to "${server}"`, { issuer, scopes: grant.scopes });
        parts.onChanged(server, caller);
      },
    });
  }

  async function follow(server: string, target: SignInTarget, options: BeginOptions): Promise<Flow> {
    const caller = whose(target, options.caller);
    const key = keyOf(server, caller);
    const known = flows.get(key);
    // What cannot be read is replaced by what is given now.
    const before = await store.find(server, caller, target.url.href).catch(() => undefined);
    const said = readChallenge(options.challenge);
    const wanted = options.scopes ?? said?.scopes ?? before?.wanted ?? [];
    if (known !== undefined && wanted.every((scope) => known.scopes.includes(scope))) return known;
    known?.cancel(replaced(server));
    const flow = await start({ server, caller, target, before, scopes: options.scopes, said });
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
      const key = keyOf(server, whose(target, options.caller));
      const attempt = beginning.get(key) ?? follow(server, target, options);
      beginning.set(key, attempt);
      const flow = await attempt.finally(() => beginning.delete(key));
      const { link, userCode, state, ended } = flow;
      const hasOpenedBrowser =
        options.openBrowser === true && link !== undefined && (await parts.openBrowser(link));
      return { link, userCode, state, hasOpenedBrowser, ended };
    },
    async complete(server, codeOrAddress, caller) {
      const flow = flows.get(keyOf(server, whose(parts.target(server), caller)));
      if (flow === undefined) throw nothingUnderWay(server);
      return flow.complete(codeOrAddress);
    },
    cancel(server, caller) {
      const key = keyOf(server, whose(parts.target(server), caller));
      const giveUp = (flow: Flow): void => flow.cancel(cancelled(server));
      const flow = flows.get(key);
      if (flow !== undefined) giveUp(flow);
      // What is only just beginning would wait for a browser.
      else beginning.get(key)?.then(giveUp, () => undefined);
    },
    signOut(server, caller) {
      const target = parts.target(server);
      return end(server, whose(target, caller), target.auth);
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
      // Those that are not there yet would wait for a browser when nobody is there to be told.
      for (const attempt of beginning.values())
        attempt.then(
          (flow) => flow.cancel(stopped()),
          () => undefined,
        );
    },
  };

  async function end(server: string, owner: string, auth: AuthSettings): ReturnType<SignIns['signOut']> {
    flows.get(keyOf(server, owner))?.cancel(replaced(server));
    // What cannot be read any more can still be removed.
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
 * What a person was given by one authorization server, and what works there for whoever has it, is not shown to another
 * because the server says so (SEP-2352); where the person has named it, they mean it.
 */
const carriesSecret = ({ authorizationServerUrl, clientSecret, flow }: AuthSettings): boolean =>
  authorizationServerUrl === undefined && (clientSecret !== undefined || flow === 'workload');

const elsewhere = (server: string, issuer: string): PincerError =>
  new PincerError(
    'SIGN_IN_FAILED',
    `Server "${server}" has changed where it is signed in to: to ${issuer}. The secret that is configured was given by another, and was sent to nobody.`,
    {
      hint: `If that is right, put the secret of the new one into servers.${server}.auth, and its address into auth.authorizationServerUrl.`,
    },
  );

/** What the server wanted besides, when something was tried. */
const lackOf = (grant: Grant | undefined): Challenge =>
  grant?.wanted === undefined ? {} : { error: 'insufficient_scope', scopes: grant.wanted };

const keyOf = (server: string, caller: string): string => `${server}\u0000${caller}`;

const stopped = (): PincerError => new PincerError('SIGN_IN_FAILED', 'The hub was stopped.');

const cancelled = (server: string): PincerError =>
  new PincerError('CALL_CANCELLED', `The sign-in to "${server}" was cancelled.`);

const replaced = (server: string): PincerError =>
  new PincerError('SIGN_IN_FAILED', `Another sign-in to "${server}" has taken the place of this one.`);

const nothingUnderWay = (server: string): PincerError =>
  new PincerError('SIGN_IN_FAILED', `No sign-in to "${server}" is under way.`, {
    hint: `Begin one with \`pincer login ${server} --no-browser\`, open its link, then bring the code.`,
  });
