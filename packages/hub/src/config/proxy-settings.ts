/** Settings of the app proxy: the environment overrides the configuration, and both override `.env`. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { hasCode, messageOf, PincerError } from '../core/errors.ts';
import { DEFAULT_LIMITS } from '../core/limits.ts';
import { isLoopbackHost } from '../lib/loopback.ts';
import type { Environment } from '../lib/process.ts';
import type { ProxyConfig } from './proxy-schema.ts';

type AppConfig = ProxyConfig['apps'][number];

/** An app with its own token. */
export interface ProxyApp {
  readonly name: string;
  /** SHA-256 of its token, in lower case. */
  readonly tokenHash: string;
  /** Origins of web pages that may use its token, in the browser's notation. */
  readonly origins: readonly string[];
  readonly trust: AppConfig['trust'];
  readonly policy: AppConfig['policy'];
}

export interface ProxySettings {
  /** Without the brackets of an IPv6 address. */
  readonly host: string;
  readonly port: number;
  /** Without a trailing slash. */
  readonly publicUrl: string | undefined;
  /** Lower case. */
  readonly allowedHosts: readonly string[];
  readonly appToken: string | undefined;
  readonly openClawToken: string | undefined;
  readonly apps: readonly ProxyApp[];
  /** Whether apps need no token. True until a shared token or an app's token exists. */
  readonly takesAnonymous: boolean;
  readonly sessionTtlMs: number;
  readonly toolTimeoutMs: number;
  /** Sentences for the person. The first sentence is the problem; the rest is what to do. */
  readonly warnings: readonly string[];
  /** Undefined if no `.env` was read. */
  readonly dotEnv: DotEnvUse | undefined;
}

/** Names of variables, never their values. */
interface DotEnvUse {
  readonly file: string;
  /** Variables that are in effect. */
  readonly sets: readonly string[];
  /** Variables that are overridden elsewhere. */
  readonly ignored: readonly string[];
}

export interface GivenToProxy {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  /** Use a free port if none is configured, because the hub itself does. */
  readonly takesFreePort?: boolean | undefined;
  /** It was started with tokens, so it must not become open when its last app is removed. */
  readonly staysClosed?: boolean | undefined;
  /** From the configuration. The environment overrides them. */
  readonly limits?: {
    readonly sessionTtlMs?: number | undefined;
    readonly toolTimeoutMs?: number | undefined;
  };
  readonly dotEnv?: DotEnv | undefined;
}

export const APP_TOKEN = { variable: 'OPENCLAW_PROXY_APP_TOKEN', setting: 'proxy.appToken' };
export const OPENCLAW_TOKEN = { variable: 'OPENCLAW_PROXY_OPENCLAW_TOKEN', setting: 'proxy.openclawToken' };
const SESSION_TTL = 'OPENCLAW_PROXY_SESSION_TTL_SECONDS';
const TOOL_TIMEOUT = 'OPENCLAW_PROXY_TOOL_TIMEOUT_SECONDS';

export const SERVER_URL = 'OPENCLAW_PROXY_SERVER_URL';

export const DEFAULT_PROXY_PORT = 8000;
const DEFAULTS = { sessionTtlMs: DEFAULT_LIMITS.appSessionTtlMs, toolTimeoutMs: DEFAULT_LIMITS.appCallMs };

/** Throws CONFIG_INVALID if a variable is invalid, or if other machines could reach a side without a token. */
export function readProxySettings(
  config: ProxyConfig,
  env: Environment,
  given: GivenToProxy = {},
): ProxySettings {
  const host = (given.host ?? config.host).replace(/^\[(.*)\]$/, '$1').toLowerCase();
  const { limits = {} } = given;
  const isSet: Readonly<Record<string, boolean>> = {
    [APP_TOKEN.variable]: Boolean(config.appToken),
    [OPENCLAW_TOKEN.variable]: Boolean(config.openclawToken),
    [SESSION_TTL]: limits.sessionTtlMs !== undefined,
    [TOOL_TIMEOUT]: limits.toolTimeoutMs !== undefined,
  };
  const dotEnv = useOf(given.dotEnv, (name) => Boolean(env[name]) || isSet[name] === true);
  const all = {
    ...env,
    ...Object.fromEntries(dotEnv?.sets.map((name) => [name, given.dotEnv!.values[name]]) ?? []),
  };
  const appToken = readToken(all, APP_TOKEN, config.appToken);
  const openClawToken = readToken(all, OPENCLAW_TOKEN, config.openclawToken);
  const isMeantForApps = config.apps.length > 0 || config.wrong !== undefined;
  const takesAnonymous = appToken === undefined && !isMeantForApps && given.staysClosed !== true;
  const open = [
    ...(takesAnonymous ? [APP_SIDE] : []),
    ...(openClawToken === undefined ? [OPENCLAW_SIDE] : []),
  ];
  if (!isLoopbackHost(host) && open.length > 0) throw reachable(host, open);
  return {
    host,
    port: given.port ?? config.port ?? (given.takesFreePort === true ? 0 : DEFAULT_PROXY_PORT),
    publicUrl: config.publicUrl === undefined ? undefined : new URL(config.publicUrl).origin,
    allowedHosts: config.allowedHosts.map((each) => each.toLowerCase()),
    appToken,
    openClawToken,
    apps: config.apps.map(toApp),
    takesAnonymous,
    sessionTtlMs: readSeconds(all, SESSION_TTL) ?? limits.sessionTtlMs ?? DEFAULTS.sessionTtlMs,
    toolTimeoutMs: readSeconds(all, TOOL_TIMEOUT) ?? limits.toolTimeoutMs ?? DEFAULTS.toolTimeoutMs,
    dotEnv,
    warnings: [
      ...open.map(({ who, fix }) => `No token is set, so any program on this machine ${who}. ${fix}`),
      ...(appToken !== undefined && appToken === openClawToken ? [SAME_TOKEN] : []),
    ],
  };
}

/** Ignores the URL of the proxy, which only `pincer proxy-stdio` uses. */
function useOf(dotEnv: DotEnv | undefined, isSetElsewhere: (name: string) => boolean): DotEnvUse | undefined {
  if (dotEnv === undefined) return undefined;
  const names = Object.keys(dotEnv.values).filter((name) => name !== SERVER_URL);
  return {
    file: dotEnv.file,
    sets: names.filter((name) => !isSetElsewhere(name)),
    ignored: names.filter(isSetElsewhere),
  };
}

const toApp = ({ name, tokenHash, origins, trust, policy }: AppConfig): ProxyApp => ({
  name,
  tokenHash: tokenHash.toLowerCase(),
  origins,
  trust,
  policy,
});

type Place = typeof APP_TOKEN;

/** An empty variable counts as unset. */
function readToken(
  env: Environment,
  { variable, setting }: Place,
  configured: string | undefined,
): string | undefined {
  const token = env[variable] || configured || undefined;
  if (token === undefined || /^[^\s\p{Cc}]+$/u.test(token)) return token;
  const place = env[variable] ? variable : setting;
  throw new PincerError(
    'CONFIG_INVALID',
    `${place} contains a space or control character, which a token cannot have.`,
    {
      hint: 'Use a token of letters, digits and the characters - . _ ~ + /.',
      data: { path: place },
    },
  );
}

/** As for `limits`: timers do not support more. */
const MAX_SECONDS = 500_000;

function readSeconds(env: Environment, variable: string): number | undefined {
  const text = env[variable];
  if (text === undefined || text === '') return undefined;
  const seconds = /^\d{1,6}(?:\.\d{1,9})?$/.test(text) ? Number(text) : 0;
  if (seconds > 0 && seconds <= MAX_SECONDS) return Math.ceil(seconds * 1_000);
  throw new PincerError('CONFIG_INVALID', `${variable} is "${text}", which is not a number of seconds.`, {
    hint: `Use a number above 0, at most ${MAX_SECONDS}.`,
    data: { path: variable },
  });
}

interface Side {
  readonly place: Place;
  /** What any program can do without a token. */
  readonly who: string;
  readonly fix: string;
}

const setOne = ({ variable, setting }: Place): string => `Set ${variable} or ${setting}`;

const APP_SIDE: Side = {
  place: APP_TOKEN,
  who: 'can register tools',
  fix: `${setOne(APP_TOKEN)}, or create a token for each app: pincer token add NAME --app.`,
};

const OPENCLAW_SIDE: Side = {
  place: OPENCLAW_TOKEN,
  who: 'that knows a session can call its tools',
  fix: `${setOne(OPENCLAW_TOKEN)}.`,
};

const SAME_TOKEN = `${APP_TOKEN.variable} and ${OPENCLAW_TOKEN.variable} are the same token, so every app can call the tools of the others. Use two different tokens.`;

function reachable(host: string, open: readonly Side[]): PincerError {
  const missing = open.map(({ place }) => `${place.variable} (${place.setting})`).join(' and ');
  return new PincerError(
    'CONFIG_INVALID',
    `The app proxy would listen on ${host}, where other machines reach it, without ${missing}.`,
    {
      hint: `${open.map(({ fix }) => fix).join(' ')} Or listen on 127.0.0.1.`,
      data: { path: open[0]!.place.setting, host },
    },
  );
}

/** The only variables that are read from `.env`. */
const DOT_ENV_NAMES = [APP_TOKEN.variable, OPENCLAW_TOKEN.variable, SERVER_URL, SESSION_TTL, TOOL_TIMEOUT];

const MAX_DOT_ENV_BYTES = 64 * 1024;

interface DotEnv {
  readonly file: string;
  readonly values: Environment;
}

/**
 * Reads the proxy's variables from `.env` of the folder that `pincer proxy` or `pincer proxy-stdio` is started in. The
 * folder may be untrusted, so nothing else is read from the file, and the names of its variables are printed.
 */
export function readDotEnv(folder: string): DotEnv {
  const file = join(folder, '.env');
  const all = parseEnv(readText(file));
  const values = DOT_ENV_NAMES.flatMap((name) => {
    const value = Object.hasOwn(all, name) ? all[name] : undefined;
    return value === undefined || value === '' ? [] : [[name, value] as const];
  });
  return { file, values: Object.fromEntries(values) };
}

function readText(path: string): string {
  try {
    const stats = statSync(path);
    // A folder of this name may be a Python environment.
    if (!stats.isFile()) return '';
    if (stats.size > MAX_DOT_ENV_BYTES) throw new Error(`it is larger than ${MAX_DOT_ENV_BYTES} bytes`);
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return '';
    throw new PincerError('CONFIG_UNREADABLE', `${path} cannot be read: ${messageOf(error)}.`, {
      hint: 'Check the owner and permissions of the file, or start Pincer in another folder.',
      cause: error,
    });
  }
}
