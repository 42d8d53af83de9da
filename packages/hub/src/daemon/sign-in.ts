/** Sign-ins to the servers of a running hub. */
import type { Clock, Log } from '../core/ports.ts';
import { messageOf, PincerError } from '../core/errors.ts';
import type { Hub } from '../hub/interface.ts';
import { openBrowser } from '../servers/oauth/flow/open-browser.ts';
import { isOwnFlow, type AuthSettings } from '../servers/oauth/client/settings.ts';
import type { Grant, GrantStore } from '../servers/oauth/grant.ts';
import { isRenewable } from '../servers/oauth/grants/renew-grant.ts';
import { createGuardedFetch } from '../servers/oauth/guard/guarded-fetch.ts';
import { createSignIns, type SignInOutcome, type SignInTarget } from '../servers/oauth/sign-ins.ts';
import type { SignedIn } from '../control/contract/people.ts';
import type { SignInParts } from '../control/sign-in-actions.ts';

export interface SignInService extends SignInParts {
  forgetCaller(caller: string): Promise<void>;
  /** Number of sign-ins under way. */
  readonly count: number;
  stop(): void;
}

export interface SignInServiceParts {
  readonly hub: Hub;
  readonly grants: GrantStore;
  readonly clock: Clock;
  readonly log: Log;
}

export function openSignInService({ hub, grants, clock, log }: SignInServiceParts): SignInService {
  const signIns = createSignIns({
    store: grants,
    fetch: createGuardedFetch({ limits: hub.limits }),
    clock,
    log,
    limits: hub.limits,
    target: (server) => targetOf(hub, server),
    clientMetadataUrl: () => hub.clientMetadataUrl(),
    openBrowser: (link) => openBrowser(link),
    onChanged: (server) => void hub.refresh(server).catch(() => undefined),
  });
  const own = signInByItself(hub, clock, log, (server, challenge) => signIns.begin(server, { challenge }));
  return {
    async begin(server, options) {
      const { ended, ...begun } = await signIns.begin(server, options);
      const end = ended.then(async (outcome) => {
        if (!outcome.ok) return outcome;
        // Refresh first, so that a client that is told of the end finds the server connected.
        await hub.refresh(server).catch(() => undefined);
        return { ok: true, signedIn: describe(outcome.grant, hub.configOf(server)?.auth) } as const;
      });
      return { ...begun, ended: end };
    },
    async complete(server, codeOrAddress, caller) {
      const grant = await signIns.complete(server, codeOrAddress, caller);
      await hub.refresh(server).catch(() => undefined);
      return describe(grant, hub.configOf(server)?.auth);
    },
    cancel: (server, caller) => signIns.cancel(server, caller),
    signOut: (server, caller) => signIns.signOut(server, caller),
    forgetCaller: (caller) => signIns.forgetCaller(caller),
    get count() {
      return signIns.count;
    },
    stop() {
      own();
      signIns.stop();
    },
  };
}

/** Pause after a failed attempt. */
const OWN_PAUSE_MS = 60_000;

/** Signs in without a person if the flow needs none, so that `pincer login` is not needed. */
function signInByItself(
  hub: Hub,
  clock: Clock,
  log: Log,
  begin: (
    server: string,
    challenge: string | undefined,
  ) => Promise<{ readonly ended: Promise<SignInOutcome> }>,
): () => void {
  const triedAt = new Map<string, number>();
  return hub.onSignInNeeded((server, { data }) => {
    if (!isOwnFlow(hub.configOf(server)?.auth?.flow)) return;
    if (clock.elapsed() - (triedAt.get(server) ?? -Infinity) < OWN_PAUSE_MS) return;
    triedAt.set(server, clock.elapsed());
    const challenge = data?.['challenge'];
    begin(server, typeof challenge === 'string' ? challenge : undefined)
      .then(({ ended }) => ended)
      .then((outcome) => {
        if (!outcome.ok) throw outcome.error;
      })
      .catch((error: unknown) =>
        log.warn(`Pincer could not sign in to "${server}" automatically`, { reason: messageOf(error) }),
      );
  });
}

const describe = (grant: Grant, settings: AuthSettings = {}): SignedIn => ({
  issuer: grant.key.issuer,
  scopes: grant.scopes,
  expiresAt: grant.expiresAt,
  isRenewable: isRenewable(grant, settings),
});

function targetOf(hub: Hub, name: string): SignInTarget {
  const server = hub.configOf(name);
  if (server === undefined)
    throw new PincerError('SERVER_UNKNOWN', `No server "${name}" is configured.`, {
      hint: 'Run `pincer list`.',
    });
  if (server.url === undefined)
    throw new PincerError('USAGE', `Server "${name}" is a program on this machine and has no sign-in.`, {
      hint: `Set its credentials in its environment: servers.${name}.env`,
    });
  const headers = Object.fromEntries(
    Object.entries(server.headers).map(([header, value]) => [header.toLowerCase(), value]),
  );
  if (server.apiKey !== undefined || 'authorization' in headers)
    throw new PincerError('USAGE', `Server "${name}" is used with a key, not with a sign-in.`, {
      hint: `To sign in instead, remove servers.${name}.apiKey and the Authorization in its headers.`,
    });
  return { url: new URL(server.url), headers, auth: server.auth ?? {} };
}
