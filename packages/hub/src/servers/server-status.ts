/** What can be said of a server to people and programs. */
import { failedText, type FailedServer } from '../core/config-problem.ts';
import type { ServerConfig } from '../config/schema.ts';
import { ownersHint, PincerError } from '../core/errors.ts';
import type { Era } from '../core/protocol.ts';
import type { Life, ServerState } from './life/life.ts';
import type { DiscoveryFacts } from './offer/offer-keeper.ts';
import { isPerCaller } from './connection/connection-key.ts';
import { isRenewable } from './oauth/grants/renew-grant.ts';
import type { ServerTokens } from './oauth/grants/server-tokens.ts';
import { hasOwnKey, isStdio } from './connector.ts';
import type { Limits } from '../core/limits.ts';
import type { RemoteSource } from './source.ts';

export interface ServerStatus extends Heard {
  readonly name: string;
  readonly state: ServerState;
  /** When it came into this state, in milliseconds since 1970, as the other times. */
  readonly since: number;
  readonly transport: 'http' | 'stdio';
  readonly target: string;
  /** The file that it is configured in. */
  readonly origin: string;
  /** Attempts in a row that failed, and when the next one is made. */
  readonly attempts: number;
  readonly nextTryAt: number | undefined;
  /** How often it became ready. */
  readonly connects: number;
  readonly error: StatusError | undefined;
  /** Its settings are wrong: it is not connected to before they are corrected. */
  readonly isMisconfigured?: boolean | undefined;
  readonly auth: ServerAuth;
}

interface StatusError {
  readonly code: string;
  readonly message: string;
  readonly hint: string | undefined;
  /** The setting that is wrong, and where it is. */
  readonly setting?: string | undefined;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
}

/** How Pincer shows a server who it is. */
interface ServerAuth {
  /** `api-key`: an `apiKey`, or an `Authorization` in its headers. `oauth`: somebody has signed in, or has to. */
  readonly kind: 'none' | 'api-key' | 'oauth';
  /** When what is sent now ends, in milliseconds since 1970. Absent: never, or nobody has said. */
  readonly expiresAt?: number | undefined;
  /** It is renewed by itself before it ends. */
  readonly isRenewable?: boolean | undefined;
  readonly scopes?: readonly string[] | undefined;
  /** Nothing can be called before somebody has signed in (again). */
  readonly needsSignIn?: boolean | undefined;
  /** Everyone signs in for themselves: the other members tell nothing of anyone. */
  readonly isPerCaller?: boolean | undefined;
}

interface Heard extends DiscoveryFacts {
  readonly era: Era | undefined;
  /** Of a stdio server that runs. */
  readonly pid: number | undefined;
  /** Of a web server: the beginning of the id of the session. */
  readonly session: string | undefined;
  /** When it last said anything, be it in answer to a heartbeat. */
  readonly lastHeardAt: number | undefined;
  readonly inFlight: number;
  /** Calls that were sent a second time, because they had not run or could do no harm. */
  readonly repeated: number;
  readonly stderr: string;
}

// oxlint-disable-next-line max-params -- what there is to say of it
export function describeServer(
  name: string,
  config: ServerConfig,
  life: Life,
  heard: Heard,
  tokens?: SignIn,
): ServerStatus {
  const { state, since, failures, nextTryAt, connects, problem } = life;
  return {
    name,
    state,
    since,
    ...targetOf(config),
    attempts: failures,
    nextTryAt,
    connects,
    ...heard,
    error: problem && { code: problem.code, message: problem.message, hint: ownersHint(problem) },
    auth: authOf(config, { life, tokens }),
  };
}

/** A server that is switched off, in the configuration or by somebody for now. */
// oxlint-disable-next-line max-params -- what there is to say of it
export const describeOff = (
  name: string,
  config: ServerConfig,
  state: 'disabled' | 'stopped',
  since: number,
): ServerStatus => ({
  name,
  state,
  since,
  ...targetOf(config),
  ...UNHEARD,
  error: undefined,
  auth: authOf(config),
});

/** A server whose settings are wrong; one that is switched off besides stays so. */
export const describeFailed = (server: FailedServer, since: number): ServerStatus => {
  const { name, enabled, transport, shown, origin, problems } = server;
  const { code, hint, setting, file, line } = problems[0]!;
  return {
    name,
    state: enabled ? 'failed' : 'disabled',
    since,
    transport,
    target: shown,
    origin,
    ...UNHEARD,
    isMisconfigured: true,
    error: { code, message: failedText(server), hint, setting, file, line },
    auth: { kind: 'none' },
  };
};

/** Nothing has been heard of it. */
const UNHEARD = {
  attempts: 0,
  nextTryAt: undefined,
  connects: 0,
  era: undefined,
  pid: undefined,
  session: undefined,
  lastHeardAt: undefined,
  inFlight: 0,
  repeated: 0,
  lastDiscoveryAt: undefined,
  discoveries: 0,
  discoveryFailures: 0,
  stderr: '',
} as const;

type SignIn = Pick<ServerTokens, 'isSignedIn' | 'grant'> | undefined;

function authOf(
  config: ServerConfig,
  { life, tokens }: { readonly life?: Life; readonly tokens?: SignIn } = {},
): ServerAuth {
  if (isStdio(config)) return { kind: 'none' };
  const grant = tokens?.grant;
  const needsSignIn = life?.state === 'needs-sign-in' || grant?.refused !== undefined || undefined;
  if (hasOwnKey(config)) return { kind: 'api-key', needsSignIn };
  if (config.auth === undefined && needsSignIn === undefined && tokens?.isSignedIn !== true)
    return { kind: 'none' };
  if (isPerCaller(config)) return { kind: 'oauth', needsSignIn, isPerCaller: true };
  return {
    kind: 'oauth',
    needsSignIn,
    ...(grant && {
      expiresAt: grant.expiresAt,
      isRenewable: isRenewable(grant, config.auth ?? {}),
      scopes: grant.scopes,
    }),
  };
}

const targetOf = (config: ServerConfig): Pick<ServerStatus, 'transport' | 'target' | 'origin'> => ({
  transport: isStdio(config) ? 'stdio' : 'http',
  target: config.shown,
  origin: config.origin ?? 'config.json',
});

/** What a hub tells of a server, besides what the server's source knows. */
export interface HubServerStatus extends ServerStatus {
  /** What is listed of it is what it offered when it was last heard: it is not connected now. */
  readonly isStale: boolean;
  /** What the names of its tools begin with, before `__`. */
  readonly prefix: string;
  /** No call of it takes longer than this. */
  readonly longestCallMs: number;
  /** Those of OpenClaw that may use it; absent: all. */
  readonly agents: readonly string[] | undefined;
  /** Some of what it has is asked about, or refused, before it runs. */
  readonly isGuarded: boolean;
}

export const usageOf = (
  name: string,
  config: ServerConfig | undefined,
  { maxCallMs, approvalWaitMs }: Limits,
): Pick<HubServerStatus, 'prefix' | 'longestCallMs' | 'agents'> => ({
  prefix: config?.toolPrefix || name,
  agents: config?.agents,
  longestCallMs: Math.max(maxCallMs, config?.requestTimeoutMs ?? 0) + approvalWaitMs,
});

/** Why a server cannot be used now. */
export function problemOf(
  source: Pick<RemoteSource, 'name' | 'state' | 'problem'> | undefined,
): PincerError | undefined {
  if (source?.problem !== undefined || source?.state !== 'connecting') return source?.problem;
  return new PincerError('SERVER_UNREACHABLE', `Server "${source.name}" is still starting.`, {
    hint: `Try again in a moment, or see what it says: pincer status ${source.name}`,
  });
}

export const unknownServer = (server: string): PincerError =>
  new PincerError('SERVER_UNKNOWN', `No server "${server}" is configured, or it is switched off.`, {
    hint: 'Run `pincer list`.',
  });
