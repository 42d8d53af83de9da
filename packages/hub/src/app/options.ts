/** What `connect` takes and gives. */
import type { AppError } from './error.ts';
import type { SessionStorage } from './remember.ts';
import type { Status, StatusChange } from './status.ts';
import type { AppTimes } from './times.ts';
import type { AppTools } from './tool.ts';

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
