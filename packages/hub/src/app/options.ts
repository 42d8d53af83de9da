/** The options of `connect`, checked and filled in, and what it tells the app. */
import { AppError } from './error.ts';
import type { SessionStorage } from './session-memory.ts';
import type { AppTools } from './tool.ts';
import { pageStorage } from './page.ts';

export interface ConnectOptions {
  /** Of the app proxy: `http://127.0.0.1:8000` where `pincer up` runs on this machine. */
  readonly url: string;
  /** The app's token; none where the hub asks for none. */
  readonly token?: string | undefined;
  readonly tools: AppTools;
  readonly device?: { readonly id?: string | undefined; readonly name?: string | undefined } | undefined;
  readonly appVersion?: string | undefined;
  readonly chatId?: string | undefined;
  /**
   * Where the session is kept for the page that comes after a reload. By default `sessionStorage` in a page, nowhere
   * else. `false`: nowhere.
   */
  readonly remember?: boolean | SessionStorage | undefined;
  /** Also the tools that the page registers by WebMCP (`document.modelContext`), now and later. */
  readonly webMcp?: boolean | undefined;
  readonly onStatus?: ((change: StatusChange) => void) | undefined;
  /** What went wrong without ending anything, such as tools that the hub does not accept, and what ended all. */
  readonly onError?: ((error: AppError) => void) | undefined;
  /** Gives up connecting. Once connected, `close()` is the way. */
  readonly signal?: AbortSignal | undefined;
  readonly times?: Partial<AppTimes> | undefined;
}

export interface AppConnection {
  readonly status: Status;
  readonly sessionId: string;
  /** For the MCP client of the conversation. */
  readonly mcpUrl: string;
  /** All of the app's own tools from now on; those of WebMCP stay. */
  setTools(tools: AppTools): void;
  /** The session is deleted unless it is remembered: then the next page takes it up. */
  close(options?: { readonly deleteSession?: boolean }): Promise<void>;
}

interface Settings {
  /** Without a slash at its end. */
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
    throw new AppError('ARGUMENT_INVALID', `url: "${url}" is no address of a hub.`, {
      hint: 'Give the address that `pincer up` prints for the app proxy: http://127.0.0.1:8000 by default.',
    });
  return href.replace(/\/+$/, '');
}

/** The hub has none with these in it. What no header takes would look like a hub that cannot be reached. */
function checkedToken(token: string): string {
  if (/^[^\s\p{Cc}]*$/u.test(token)) return token;
  throw new AppError('ARGUMENT_INVALID', 'token: has characters in it that no token has.', {
    hint: 'Leave out spaces and line breaks.',
  });
}

/** How long things may take, in milliseconds. Each is an option of `connect`. */
export const APP_TIMES = {
  /** The pause after the first failure; it doubles with each further one. */
  firstRetryMs: 100,
  maxRetryMs: 10_000,
  /** A bridge on which nothing is heard for so long is given up. The proxy asks for a sign of life more often. */
  silenceMs: 45_000,
  /** From the attempt to open a bridge to the proxy's welcome. */
  welcomeMs: 10_000,
  /** For one request over HTTP. */
  requestMs: 15_000,
  /** A bridge that was open for so long was a good one: the pauses begin anew. */
  steadyMs: 5_000,
  /** Between two words of progress on one call. */
  progressMs: 100,
  /** How long a page waits for the one before it to let go of the session, when it is reloaded. */
  claimMs: 500,
} as const;

export type AppTimes = { readonly [name in keyof typeof APP_TIMES]: number };

/** Doubled each time, and never the same for two apps: after a restart of the hub they do not all come at once. */
export function retryPause(
  failures: number,
  { firstRetryMs, maxRetryMs }: Pick<AppTimes, 'firstRetryMs' | 'maxRetryMs'>,
): number {
  const whole = Math.min(maxRetryMs, firstRetryMs * 2 ** Math.min(failures, 30));
  return whole * (0.5 + Math.random() / 2);
}

/** Where a connection is. The last three are final. */
export type Status =
  /** Not there yet, for the first time. */
  | 'connecting'
  /** Tools can be called. */
  | 'open'
  /** Lost, and tried again by itself until it is back. */
  | 'reconnecting'
  /** Another page or process has taken over the session. It is not fought for. */
  | 'replaced'
  /** The hub does not accept this app, or not any more. */
  | 'refused'
  /** By `close()`. */
  | 'closed';

export interface StatusChange {
  readonly status: Status;
  readonly sessionId: string | undefined;
  readonly mcpUrl: string | undefined;
  /** The session is another one than before: it had expired, or was deleted. Whoever has the old `mcpUrl` needs the new. */
  readonly isNewSession: boolean;
  /** Why it is not open, in words. */
  readonly reason?: string;
}

const FINAL: ReadonlySet<Status> = new Set(['replaced', 'refused', 'closed']);

export const isFinal = (status: Status): boolean => FINAL.has(status);
