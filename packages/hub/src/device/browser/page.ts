/** The interface of a page, and the errors of the browser. */

export interface WindowPlace {
  readonly width: number;
  readonly height: number;
  /** Absent: the desktop decides. */
  readonly x?: number | undefined;
  readonly y?: number | undefined;
}

export interface PageOptions {
  readonly url?: string;
  /** Shown at an https origin without a server: a secure context of its own. */
  readonly html?: string;
  readonly width: number;
  readonly height: number;
  /** Position of a window. Absent: the desktop decides. */
  readonly position?: { readonly x: number; readonly y: number } | undefined;
  /** CDP names such as `geolocation` or `videoCapture`, granted to this page only. */
  readonly permissions?: readonly string[];
  /** In a window, if there is a display. */
  readonly visible?: boolean;
}

export interface ScreenshotOptions {
  readonly format: 'png' | 'jpeg';
  /** Quality of a JPEG, 1 to 100. */
  readonly quality?: number;
  readonly maxWidth?: number;
}

export interface Screenshot {
  readonly bytes: Buffer;
  readonly width: number;
  readonly height: number;
}

type PageParams = Readonly<Record<string, unknown>>;

export interface Page {
  /** False after it was closed or has crashed. It cannot be reopened. */
  readonly isOpen: boolean;
  /** Whether it has a window. */
  readonly isVisible: boolean;
  /** Awaits promises and returns plain JSON or undefined. Throws BrowserError. */
  evaluate(expression: string, signal?: AbortSignal): Promise<unknown>;
  screenshot(options: ScreenshotOptions): Promise<Screenshot>;
  /** Resolves when the page is loaded, or after a timeout. */
  navigate(url: string, signal?: AbortSignal): Promise<void>;
  setContent(html: string, signal?: AbortSignal): Promise<void>;
  resize(place: WindowPlace): Promise<void>;
  /** Sends a command of the Chrome DevTools Protocol to this page. */
  send(method: string, params?: PageParams): Promise<PageParams>;
  /** Calls `listener` for each event of this page. Returns a function that unsubscribes. */
  onEvent(listener: (method: string, params: PageParams) => void): () => void;
  close(): Promise<void>;
}

/**
 * `missing`: no browser is installed. `start`: the browser did not start. `gone`: the browser or the page has ended.
 * `timeout` and `aborted`: the wait has ended. `page`: a script threw an exception. `navigation`: the address cannot be
 * shown. `refused`: the browser rejected the command, or its answer is too large.
 */
type BrowserErrorKind =
  | 'missing'
  | 'start'
  | 'gone'
  | 'timeout'
  | 'aborted'
  | 'page'
  | 'navigation'
  | 'refused';

export class BrowserError extends Error {
  readonly kind: BrowserErrorKind;

  constructor(kind: BrowserErrorKind, text: string, cause?: unknown) {
    super(text, cause === undefined ? undefined : { cause });
    this.name = 'BrowserError';
    this.kind = kind;
  }
}

export const isBrowserError = (error: unknown, kind?: BrowserErrorKind): error is BrowserError =>
  error instanceof BrowserError && (kind === undefined || error.kind === kind);

/** The error of a wait that its caller aborted. */
export const waitAborted = (): BrowserError => new BrowserError('aborted', 'The caller stopped waiting.');
