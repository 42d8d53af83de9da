/** One page of the browser. */
import type { WindowPlace } from './launch-flags.ts';

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

export type PageParams = Readonly<Record<string, unknown>>;

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
