/** The interface of a page, and the errors of the browser. */

export interface WindowPlace {
  readonly width: number;
  readonly height: number;
  /** Absent: where the desktop puts it. */
  readonly x?: number | undefined;
  readonly y?: number | undefined;
}

export interface PageOptions {
  readonly url?: string;
  /** Shown at an https address of its own that no server has: a secure context, with nothing around it. */
  readonly html?: string;
  readonly width: number;
  readonly height: number;
  /** Of a window; absent: where the desktop puts it. */
  readonly position?: { readonly x: number; readonly y: number } | undefined;
  /** CDP names such as `geolocation` or `videoCapture`, granted to this page alone. */
  readonly permissions?: readonly string[];
  /** In a window, where there is a display. */
  readonly visible?: boolean;
}

export interface ScreenshotOptions {
  readonly format: 'png' | 'jpeg';
  /** Of a JPEG, 1 to 100. */
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
  /** False: closed, crashed, or gone with its browser. It never comes back. */
  readonly isOpen: boolean;
  /** It has a window. */
  readonly isVisible: boolean;
  /** Awaits promises and gives back plain JSON, undefined for what has no value. Throws BrowserError. */
  evaluate(expression: string, signal?: AbortSignal): Promise<unknown>;
  screenshot(options: ScreenshotOptions): Promise<Screenshot>;
  /** Ends when the page is loaded, or when it has had time enough. */
  navigate(url: string, signal?: AbortSignal): Promise<void>;
  setContent(html: string, signal?: AbortSignal): Promise<void>;
  resize(place: WindowPlace): Promise<void>;
  /** Any command of the Chrome DevTools Protocol, to this page. */
  send(method: string, params?: PageParams): Promise<PageParams>;
  /** Its events. */
  onEvent(listener: (method: string, params: PageParams) => void): () => void;
  close(): Promise<void>;
}

/**
 * `missing`: there is no browser here. `start`: it did not start. `gone`: it, or the page, has ended. `timeout` and
 * `aborted`: nobody waits any more. `page`: a script of the page has thrown. `navigation`: the address cannot be shown.
 * `refused`: the browser does not take the command, or its answer is too large.
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

/** For a wait that its caller has aborted. */
export const unwanted = (): BrowserError => new BrowserError('aborted', 'Nobody waits for it any more.');
