/** The canvas: one page, its content, its window, and the documented texts of its failures. */
import { oneAtATime, orAborted } from '../../lib/time.ts';
import type { Browser } from '../browser/browser.ts';
import { BrowserError, isBrowserError, waitAborted, type Page } from '../browser/page.ts';
import { CommandFailure, cancelled } from '../registry/capability.ts';
import { openA2uiView, type A2uiView } from './a2ui-view.ts';
import type { SurfaceStore } from './surface-store.ts';

export type Content =
  | { readonly kind: 'html'; readonly html: string; readonly title: string }
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'a2ui' };

export interface Place {
  readonly width: number;
  readonly height: number;
  readonly position?: { readonly x: number; readonly y: number } | undefined;
}

export interface Canvas {
  /** Without content, shows the previous one, or an empty page. */
  present(content: Content | undefined, place: Place | undefined, signal?: AbortSignal): Promise<void>;
  hide(signal?: AbortSignal): Promise<void>;
  /** Runs `work` with the current page. Rejects if nothing was presented, or if the person has closed it. */
  use<T>(work: (page: Page) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Shows the surfaces in place of other content. */
  showSurfaces(signal?: AbortSignal): Promise<void>;
  /** Redraws the surfaces if they are shown. */
  redraw(signal?: AbortSignal): Promise<void>;
  readonly isOpen: boolean;
  close(): Promise<void>;
}

interface CanvasParts {
  readonly browser: Browser;
  readonly store: SurfaceStore;
  /** Whether there is a browser. */
  isReady(): boolean;
  /** Whether there is a display. */
  readonly isVisible: boolean;
  /** An invisible page is closed after this time. */
  readonly idleMs: number;
}

const DEFAULT_PLACE: Place = { width: 800, height: 600 };
const EMPTY: Content = { kind: 'html', html: '<!doctype html><meta charset="utf-8">', title: 'Canvas' };

const notOpen = (): CommandFailure =>
  new CommandFailure('CANVAS_NOT_OPEN: no canvas window is currently open', {
    notExecuted: true,
    hint: 'Call canvas.present or canvas.a2ui.push first.',
  });

export function createCanvas({ browser, store, isReady, isVisible, idleMs }: CanvasParts): Canvas {
  let page: Page | undefined;
  let view: A2uiView | undefined;
  let content: Content | undefined;
  let place: Place | undefined;
  let isHidden = false;
  let idle: NodeJS.Timeout | undefined;
  let users = 0;
  const oneByOne = oneAtATime();

  /** Runs one at a time, since two would draw over each other. Aborted work does not start. */
  function inTurn<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const begun = (): Promise<T> => {
      clearTimeout(idle);
      return work().finally(startIdleTimer);
    };
    return orAborted(oneByOne(begun, { signal, unwanted: waitAborted }), signal, waitAborted);
  }

  /** Closes an invisible page after `idleMs`. The next use restores it. */
  function startIdleTimer(): void {
    clearTimeout(idle);
    if (users > 0) return;
    idle = setTimeout(() => {
      if (!page?.isVisible || isHidden) void inTurn(closePage).catch(() => undefined);
    }, idleMs);
    idle.unref();
  }

  async function closePage(): Promise<void> {
    const closing = page;
    page = undefined;
    view?.close();
    view = undefined;
    await closing?.close();
  }

  async function opened(): Promise<Page> {
    if (page?.isOpen) return page;
    await closePage();
    const { width, height, position } = place ?? DEFAULT_PLACE;
    const made = await browser.open({ width, height, position, visible: isVisible });
    page = made;
    if (made.isVisible && position === undefined) await centre(made, { width, height });
    return made;
  }

  async function show(next: Content, signal?: AbortSignal): Promise<void> {
    const on = await opened();
    view?.close();
    view = undefined;
    // Set before it is shown: the previous content is gone even if showing fails.
    content = next;
    if (next.kind === 'url') return on.navigate(next.url, signal);
    if (next.kind === 'html') {
      await on.setContent(next.html, signal);
      return void (await on.evaluate(`document.title ||= ${JSON.stringify(next.title)}`));
    }
    view = await openA2uiView(on, store);
    await view.show(store.surfaces);
  }

  async function drawSurfaces(): Promise<void> {
    if (view === undefined || !page?.isOpen) return show({ kind: 'a2ui' });
    try {
      await view.show(store.surfaces);
    } catch (error) {
      // A script navigated away, or the page was closed.
      if (!isBrowserError(error, 'refused') && !isBrowserError(error, 'gone')) throw error;
      await show({ kind: 'a2ui' });
    }
  }

  /** Restores a page without a window. Fails if the person has closed the window. */
  async function restored(): Promise<Page> {
    if (page?.isOpen) return page;
    const wasClosed = page?.isVisible === true && !isHidden;
    if (content === undefined || wasClosed)
      throw isReady() ? notOpen() : new BrowserError('missing', 'There is no browser.');
    await show(content);
    return page!;
  }

  async function raise(): Promise<void> {
    if (isHidden && page?.isVisible) await setWindowState(page, 'normal');
    isHidden = false;
  }

  return {
    get isOpen() {
      return page?.isOpen === true;
    },
    present: (next, where, signal) =>
      inTurn(async () => {
        place = where ?? place;
        if (page?.isOpen && where !== undefined)
          await page.resize({ width: where.width, height: where.height, ...where.position });
        if (next !== undefined) await show(next, signal);
        else if (!page?.isOpen) await show(content ?? EMPTY, signal);
        await raise();
      }, signal),
    hide: (signal) =>
      inTurn(async () => {
        if (page?.isOpen && page.isVisible) await setWindowState(page, 'minimized');
        isHidden = true;
      }, signal),
    async use(work, signal) {
      users += 1;
      try {
        return await orAborted(work(await inTurn(restored, signal)), signal, waitAborted);
      } finally {
        users -= 1;
        startIdleTimer();
      }
    },
    showSurfaces: (signal) =>
      inTurn(async () => {
        await drawSurfaces();
        await raise();
      }, signal),
    redraw: (signal) =>
      inTurn(async () => {
        if (content?.kind === 'a2ui' && page?.isOpen) await drawSurfaces();
      }, signal),
    close: () =>
      inTurn(closePage).finally(() => {
        clearTimeout(idle);
      }),
  };
}

async function setWindowState(page: Page, windowState: 'normal' | 'minimized'): Promise<void> {
  const { windowId } = await page.send('Browser.getWindowForTarget');
  await page.send('Browser.setWindowBounds', { windowId, bounds: { windowState } });
}

async function centre(page: Page, { width, height }: Place): Promise<void> {
  const [w, h] = (await page.evaluate('[screen.availWidth, screen.availHeight]')) as [number, number];
  const x = Math.max(0, Math.round((w - width) / 2));
  await page.resize({ width, height, x, y: Math.max(0, Math.round((h - height) / 2)) });
}

export const UNSUPPORTED_FORMAT = 'Unsupported canvas snapshot format. Supported formats: png, jpeg.';

/** Turns errors of the browser into the documented failures. `otherwise`: the text for errors of the command itself. */
export function canvasFailure(error: unknown, otherwise: string): unknown {
  if (!(error instanceof BrowserError)) return error;
  const details = { cause: error };
  switch (error.kind) {
    case 'missing':
      return new CommandFailure('Canvas not available', {
        ...details,
        notExecuted: true,
        hint: 'Install chromium, Google Chrome or Microsoft Edge, or set PINCER_BROWSER to its path.',
      });
    case 'start':
      return new CommandFailure('Canvas not available', {
        ...details,
        notExecuted: true,
        hint: 'The browser did not start. See the log of the hub.',
      });
    case 'aborted':
      return cancelled(details);
    case 'gone':
      return new CommandFailure(otherwise, { ...details, hint: 'The browser has ended. Try again.' });
    case 'timeout':
      return new CommandFailure(otherwise, { ...details, hint: 'It took too long and was stopped.' });
    case 'navigation':
      return new CommandFailure(otherwise, {
        ...details,
        hint: `The browser reported ${error.message}. Names that resolve to private addresses are blocked.`,
      });
    case 'page':
    case 'refused':
      return new CommandFailure(otherwise, { ...details, hint: error.message });
  }
}

export async function withCanvasFailures<T>(work: Promise<T>, otherwise: string): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw canvasFailure(error, otherwise);
  }
}
