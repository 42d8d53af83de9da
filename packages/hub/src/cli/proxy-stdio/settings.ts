/** Where the proxy is, and what shows that we may ask it. Pure. */
import { DEFAULT_PROXY_PORT, OPENCLAW_TOKEN, SERVER_URL } from '../../config/proxy-settings.ts';
import type { Environment } from '../../lib/process.ts';
import { PincerError } from '../../core/errors.ts';
import { isLoopbackHost } from '../../lib/loopback.ts';

export interface ProxyStdioFlags {
  readonly proxyBaseUrl?: string | undefined;
  readonly session?: string | undefined;
}

export interface ProxyTarget {
  /** As it was given, without a slash at its end. */
  readonly base: string;
  /** `<base>/v1/mcp`. */
  readonly url: URL;
  readonly token: string | undefined;
  /** Names of the variables that count and stand in `.env` alone. */
  readonly fromFile: readonly string[];
}

const DEFAULT_BASE = `http://127.0.0.1:${DEFAULT_PROXY_PORT}`;
export const URL_VARIABLE = SERVER_URL;
export const TOKEN_VARIABLE = OPENCLAW_TOKEN.variable;
const EXAMPLE = `Such as ${DEFAULT_BASE}.`;
const MCP_PATH = '/v1/mcp';
/** What a header can carry as it is. */
const VISIBLE = /^[\x21-\x7e]+$/;
const BLANK = /[\s\p{Cc}]/u;

/**
 * What is empty was not given. `file` is the `.env` of the folder that we were started in, which may have come with a
 * stranger's work: an address out of it gets no token from elsewhere, unless it is on this machine.
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
  const isOfFile = proxyBaseUrl === undefined && !env[URL_VARIABLE] && given !== undefined;
  if (isOfFile && env[TOKEN_VARIABLE] && !isLoopbackHost(url.hostname))
    throw new PincerError(
      'CONFIG_INVALID',
      `${TOKEN_VARIABLE} is not sent to an address that stands in .env.`,
      {
        hint: `If ${url.origin} is your proxy, give it with --proxy-base-url or put ${URL_VARIABLE} into the environment.`,
      },
    );
  const hasTokenOfFile = !env[TOKEN_VARIABLE] && Boolean(file[TOKEN_VARIABLE]);
  return {
    base,
    url,
    token: readToken(env[TOKEN_VARIABLE] || file[TOKEN_VARIABLE]),
    fromFile: [...(isOfFile ? [URL_VARIABLE] : []), ...(hasTokenOfFile ? [TOKEN_VARIABLE] : [])],
  };
}

function readBase(text: string, place: string, code: 'USAGE' | 'CONFIG_INVALID'): string {
  const wrong = (what: string, hint = EXAMPLE): PincerError =>
    new PincerError(code, `${place} ${what}.`, { hint });
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw wrong('is the address of the proxy, with http:// or https://');
  if (url.username !== '' || url.password !== '')
    throw wrong('has a user or a password in it', `The token belongs into ${TOKEN_VARIABLE}.`);
  if (url.search !== '' || url.hash !== '') throw wrong('has something after its path');
  const path = url.pathname.replace(/\/+$/, '');
  const at =
    path.indexOf(`${MCP_PATH}/`) === -1 ? path.length - MCP_PATH.length : path.indexOf(`${MCP_PATH}/`);
  if (at >= 0 && path.startsWith(MCP_PATH, at))
    throw wrong(
      `goes on after the base`,
      `Write ${url.origin}${path.slice(0, at)}, and the session after --session.`,
    );
  return url.origin + path;
}

function readToken(token: string | undefined): string | undefined {
  if (token === undefined || token === '') return undefined;
  if (!BLANK.test(token)) return token;
  throw new PincerError(
    'CONFIG_INVALID',
    `${TOKEN_VARIABLE} has a blank in it, which no request can carry.`,
    {
      hint: 'Copy the token that the proxy was started with once more.',
    },
  );
}

/** An id that goes into a header as it is. */
export const isSessionId = (text: string): boolean => text.length <= MAX_ID_CHARS && VISIBLE.test(text);

const MAX_ID_CHARS = 256;

export function readSession({ session }: ProxyStdioFlags): string | undefined {
  if (session === undefined || isSessionId(session)) return session;
  throw new PincerError('USAGE', '--session is not the id of a session.', {
    hint: 'Give the `mcpSessionId` that the proxy answered when the app registered.',
  });
}
