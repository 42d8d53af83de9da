/** The options of `connect`, checked and with defaults, and the types of its result. */
import { AppError } from './error.ts';
import type { SessionStorage } from './session-memory.ts';
import type { AppTools } from './tool.ts';
import { pageStorage } from './page.ts';

export interface ConnectOptions {
  /** Address of the app proxy: `http://127.0.0.1:8000` if `pincer up` runs on this machine. */
  readonly url: string;
  /** The app's token; leave it out if the hub requires none. */
  readonly token?: string | undefined;
  readonly tools: AppTools;
  readonly device?: { readonly id?: string | undefined; readonly name?: string | undefined } | undefined;
  readonly appVersion?: string | undefined;
  readonly chatId?: string | undefined;
  /**
   * Where the session is kept for the next page after a reload. Default: `sessionStorage` in a page, and nowhere in other
   * programs. `false`: nowhere.
   */
  readonly remember?: boolean | SessionStorage | undefined;
  /** Also offers the tools that the page registers by WebMCP (`document.modelContext`), now and later. */
  readonly webMcp?: boolean | undefined;
  readonly onStatus?: ((change: StatusChange) => void) | undefined;
  /** Called with every failure: those that end the connection, and others, such as tools that the hub refuses. */
  readonly onError?: ((error: AppError) => void) | undefined;
  /** Aborts connecting. Once connected, use `close()`. */
  readonly signal?: AbortSignal | undefined;
  readonly times?: Partial<AppTimes> | undefined;
}

export interface AppConnection {
  readonly status: Status;
  readonly sessionId: string;
  /** For the MCP client of the conversation. */
  readonly mcpUrl: string;
  /** Replaces the app's own tools; those of WebMCP stay. */
  setTools(tools: AppTools): void;
  /** Deletes the session, unless it is remembered for the next page. */
  close(options?: { readonly deleteSession?: boolean }): Promise<void>;
}

interface Settings {
  /** Without a trailing slash. */
  readonly url: string;
  readonly token: string;
  readonly times: AppTimes;
  readonly storage: SessionStorage | undefined;
}

export const readOptions = ({ url, token = '', times, remember = true }: ConnectOptions): Settings => ({
  url: addressOf(url),
  token: checkedToken(token),
  times: { ...APP_TIMES, ...times },
  storage: typeof remember === 'object' ? remember : remember ? pageStorage() : undefined,
});

function addressOf(url: string): string {
  const { protocol, href } = URL.parse(url) ?? {};
  if (href === undefined || (protocol !== 'http:' && protocol !== 'https:'))
    throw new AppError('ARGUMENT_INVALID', `url: "${url}" is not an HTTP URL.`, {
      hint: 'Use the URL that `pincer up` prints for the app proxy: http://127.0.0.1:8000 by default.',
    });
  return href.replace(/\/+$/, '');
}

/** Refuses characters that are invalid in headers: the failure would look like an unreachable hub. */
function checkedToken(token: string): string {
  if (/^[^\s\p{Cc}]*$/u.test(token)) return token;
  throw new AppError('ARGUMENT_INVALID', 'token: contains white space or control characters.', {
    hint: 'Remove spaces and line breaks.',
  });
}

/** Timeouts and pauses in milliseconds. Each is an option of `connect`. */
export const APP_TIMES = {
  /** The pause after the first failure; it doubles with each further one. */
  firstRetryMs: 100,
  maxRetryMs: 10_000,
  /** Closes a bridge that has been silent for this time. The proxy pings more often. */
  silenceMs: 45_000,
  /** From the attempt to open a bridge to the proxy's welcome. */
  welcomeMs: 10_000,
  /** For one request over HTTP. */
  requestMs: 15_000,
  /** A bridge that was open for this time resets the backoff. */
  steadyMs: 5_000,
  /** Between two progress reports of one call. */
  progressMs: 100,
  /** How long a reloaded page waits for its predecessor to release the session. */
  claimMs: 500,
} as const;

export type AppTimes = { readonly [name in keyof typeof APP_TIMES]: number };

/** Exponential backoff with jitter, so that apps do not all reconnect at once after a restart of the hub. */
export function retryPause(
  failures: number,
  { firstRetryMs, maxRetryMs }: Pick<AppTimes, 'firstRetryMs' | 'maxRetryMs'>,
): number {
  const whole = Math.min(maxRetryMs, firstRetryMs * 2 ** Math.min(failures, 30));
  return whole * (0.5 + Math.random() / 2);
}

/** The state of a connection. The last three are final. */
export type Status =
  /** Connecting for the first time. */
  | 'connecting'
  /** Tools can be called. */
  | 'open'
  /** Lost; reconnecting automatically. */
  | 'reconnecting'
  /** Another page or process uses the session now. This one does not reconnect. */
  | 'replaced'
  /** The hub does not accept this app, or no longer accepts it. */
  | 'refused'
  /** Closed by `close()`. */
  | 'closed';

export interface StatusChange {
  readonly status: Status;
  readonly sessionId: string | undefined;
  readonly mcpUrl: string | undefined;
  /** The old session had expired or was deleted. Clients with the old `mcpUrl` need the new one. */
  readonly isNewSession: boolean;
  /** Why it is not open. */
  readonly reason?: string;
}

const FINAL: ReadonlySet<Status> = new Set(['replaced', 'refused', 'closed']);

export const isFinal = (status: Status): boolean => FINAL.has(status);
