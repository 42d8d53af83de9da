/** Reads the URL and the token of the app proxy from options, environment and `.env`. Does no I/O. */
import { DEFAULT_PROXY_PORT, OPENCLAW_TOKEN, SERVER_URL } from '../../config/proxy-settings.ts';
import type { Environment } from '../../lib/process.ts';
import { PincerError } from '../../core/errors.ts';
import { isLoopbackHost } from '../../lib/loopback.ts';

export interface ProxyStdioFlags {
  readonly proxyBaseUrl?: string | undefined;
  readonly session?: string | undefined;
}

export interface ProxyTarget {
  /** The given URL without a trailing slash. */
  readonly base: string;
  /** `<base>/v1/mcp`. */
  readonly url: URL;
  readonly token: string | undefined;
  /** Names of the variables whose values come from `.env`. */
  readonly fromFile: readonly string[];
}

const DEFAULT_BASE = `http://127.0.0.1:${DEFAULT_PROXY_PORT}`;
export const URL_VARIABLE = SERVER_URL;
export const TOKEN_VARIABLE = OPENCLAW_TOKEN.variable;
const EXAMPLE = `For example ${DEFAULT_BASE}.`;
const MCP_PATH = '/v1/mcp';
/** Characters that a header can carry unencoded. */
const VISIBLE = /^[\x21-\x7e]+$/;
const BLANK = /[\s\p{Cc}]/u;

/**
 * Empty values count as unset. `file` is the `.env` of the current folder, which may be untrusted, such as a downloaded
 * project. A URL from it never gets a token from the environment, unless it is on this machine.
 */
export function readTarget(
  { proxyBaseUrl }: ProxyStdioFlags,
  env: Environment,
  file: Environment,
): ProxyTarget {
  const given = env[URL_VARIABLE] || file[URL_VARIABLE];
  const base =
    proxyBaseUrl === undefined
      ? readBase(given || DEFAULT_BASE, URL_VARIABLE, 'CONFIG_INVALID')
      : readBase(proxyBaseUrl, '--proxy-base-url', 'USAGE');
  const url = new URL(base + MCP_PATH);
  const isUrlFromFile = proxyBaseUrl === undefined && !env[URL_VARIABLE] && given !== undefined;
  if (isUrlFromFile && env[TOKEN_VARIABLE] && !isLoopbackHost(url.hostname))
    throw new PincerError('CONFIG_INVALID', `${TOKEN_VARIABLE} is not sent to a URL from .env.`, {
      hint: `If ${url.origin} is your proxy, pass it with --proxy-base-url or set ${URL_VARIABLE} in the environment.`,
    });
  const isTokenFromFile = !env[TOKEN_VARIABLE] && Boolean(file[TOKEN_VARIABLE]);
  return {
    base,
    url,
    token: readToken(env[TOKEN_VARIABLE] || file[TOKEN_VARIABLE]),
    fromFile: [...(isUrlFromFile ? [URL_VARIABLE] : []), ...(isTokenFromFile ? [TOKEN_VARIABLE] : [])],
  };
}

function readBase(text: string, place: string, code: 'USAGE' | 'CONFIG_INVALID'): string {
  const wrong = (what: string, hint = EXAMPLE): PincerError =>
    new PincerError(code, `${place} ${what}.`, { hint });
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw wrong('must be the URL of the proxy, with http:// or https://');
  if (url.username !== '' || url.password !== '')
    throw wrong('must not contain a user or a password', `Set the token in ${TOKEN_VARIABLE}.`);
  if (url.search !== '' || url.hash !== '') throw wrong('must not have a query or a fragment');
  const path = url.pathname.replace(/\/+$/, '');
  const at =
    path.indexOf(`${MCP_PATH}/`) === -1 ? path.length - MCP_PATH.length : path.indexOf(`${MCP_PATH}/`);
  if (at >= 0 && path.startsWith(MCP_PATH, at))
    throw wrong(
      `must end before ${MCP_PATH}`,
      `Write ${url.origin}${path.slice(0, at)}, and pass the session with --session.`,
    );
  return url.origin + path;
}

function readToken(token: string | undefined): string | undefined {
  if (token === undefined || token === '') return undefined;
  if (!BLANK.test(token)) return token;
  throw new PincerError(
    'CONFIG_INVALID',
    `${TOKEN_VARIABLE} contains a space or control character, which a token cannot have.`,
    {
      hint: 'Copy the token that the proxy was started with again.',
    },
  );
}

/** Whether the text is a valid session id, which goes into a header unencoded. */
export const isSessionId = (text: string): boolean => text.length <= MAX_ID_CHARS && VISIBLE.test(text);

const MAX_ID_CHARS = 256;

export function readSession({ session }: ProxyStdioFlags): string | undefined {
  if (session === undefined || isSessionId(session)) return session;
  throw new PincerError('USAGE', '--session is not the id of a session.', {
    hint: 'Use the `mcpSessionId` that the proxy returned when the app registered.',
  });
}
