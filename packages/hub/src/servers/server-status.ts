/** The status of a server, for people and programs. */
import { failedText, type FailedServer } from '../core/config-problem.ts';
import type { ServerConfig } from '../config/schema.ts';
import { ownersHint, PincerError } from '../core/errors.ts';
import type { Era } from '../core/protocol.ts';
import type { Lifecycle, ServerState } from './lifecycle/lifecycle.ts';
import type { DiscoveryFacts } from './offer/offer-keeper.ts';
import { isPerCaller } from './connection/connection-key.ts';
import { isRenewable } from './oauth/grants/renew-grant.ts';
import type { ServerTokens } from './oauth/grants/server-tokens.ts';
import { hasOwnKey, isStdio } from './connector.ts';
import type { Limits } from '../core/limits.ts';
import type { RemoteSource } from './source.ts';

export interface ServerStatus extends ServerFacts {
  readonly name: string;
  readonly state: ServerState;
  /** When it entered this state, in milliseconds since 1970, as all times here. */
  readonly since: number;
  readonly transport: 'http' | 'stdio';
  readonly target: string;
  /** The file with its configuration. */
  readonly origin: string;
  /** Consecutive failed attempts, and when the next one is due. */
  readonly attempts: number;
  readonly nextTryAt: number | undefined;
  /** How often it became ready. */
  readonly connects: number;
  readonly error: StatusError | undefined;
  /** Its settings are invalid: it stays disconnected until they are corrected. */
  readonly isMisconfigured?: boolean | undefined;
  readonly auth: ServerAuth;
}

interface StatusError {
  readonly code: string;
  readonly message: string;
  readonly hint: string | undefined;
  /** The invalid setting, and where it is. */
  readonly setting?: string | undefined;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
}

/** How Pincer authenticates to a server. */
interface ServerAuth {
  /** `api-key`: an `apiKey`, or an `Authorization` in its headers. `oauth`: a sign-in, present or required. */
  readonly kind: 'none' | 'api-key' | 'oauth';
  /** When the current token expires, in milliseconds since 1970. Absent if never or unknown. */
  readonly expiresAt?: number | undefined;
  /** It is renewed automatically before it expires. */
  readonly isRenewable?: boolean | undefined;
  readonly scopes?: readonly string[] | undefined;
  /** No call is possible before a person signs in (again). */
  readonly needsSignIn?: boolean | undefined;
  /** Each caller signs in separately; then the other members are absent. */
  readonly isPerCaller?: boolean | undefined;
}

interface ServerFacts extends DiscoveryFacts {
  readonly era: Era | undefined;
  /** Of a running stdio server. */
  readonly pid: number | undefined;
  /** Of a web server: the beginning of the session id. */
  readonly session: string | undefined;
  /** When the last message arrived, including answers to heartbeats. */
  readonly lastHeardAt: number | undefined;
  readonly inFlight: number;
  /** Calls that were sent a second time, because they had not run or are idempotent. */
  readonly repeated: number;
  readonly stderr: string;
}

// oxlint-disable-next-line max-params -- the parts of a status
export function describeServer(
  name: string,
  config: ServerConfig,
  lifecycle: Lifecycle,
  facts: ServerFacts,
  tokens?: SignIn,
): ServerStatus {
  const { state, since, failures, nextTryAt, connects, problem } = lifecycle;
  return {
    name,
    state,
    since,
    ...targetOf(config),
    attempts: failures,
    nextTryAt,
    connects,
    ...facts,
    error: problem && { code: problem.code, message: problem.message, hint: ownersHint(problem) },
    auth: authOf(config, { lifecycle, tokens }),
  };
}

/** A disabled server: by the configuration, or disconnected for now. */
// oxlint-disable-next-line max-params -- the parts of a status
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
  ...NO_FACTS,
  error: undefined,
  auth: authOf(config),
});

/** A server with invalid settings; if it is also disabled, its state is `disabled`. */
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
    ...NO_FACTS,
    isMisconfigured: true,
    error: { code, message: failedText(server), hint, setting, file, line },
    auth: { kind: 'none' },
  };
};

/** The facts of a server that was never connected. */
const NO_FACTS = {
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
  { lifecycle, tokens }: { readonly lifecycle?: Lifecycle; readonly tokens?: SignIn } = {},
): ServerAuth {
  if (isStdio(config)) return { kind: 'none' };
  const grant = tokens?.grant;
  const needsSignIn = lifecycle?.state === 'needs-sign-in' || grant?.refused !== undefined || undefined;
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

/** The status of a server with the facts that only the hub knows. */
export interface HubServerStatus extends ServerStatus {
  /** Not connected now: its listed tools come from the stored catalog. */
  readonly isStale: boolean;
  /** The prefix of its tool names, before `__`. */
  readonly prefix: string;
  /** Upper limit of a call's duration. */
  readonly longestCallMs: number;
  /** OpenClaw agents that may use it; absent for all. */
  readonly agents: readonly string[] | undefined;
  /** Some of its tools need approval or are denied. */
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
    hint: `Try again in a moment, or see its output: pincer status ${source.name}`,
  });
}

export const unknownServer = (server: string): PincerError =>
  new PincerError('SERVER_UNKNOWN', `No server "${server}" is configured, or it is switched off.`, {
    hint: 'Run `pincer list`.',
  });
