/** A page over the DevTools protocol: a target with a session. */
import type { Limits } from '../../core/limits.ts';
import { orAborted } from '../../lib/time.ts';
import { isRecord } from '../../lib/record.ts';
import { imageSize } from '../media/picture.ts';
import { type Connection, type Params, textIn } from './connection.ts';
import {
  BrowserError,
  waitAborted,
  type Page,
  type PageOptions,
  type Screenshot,
  type ScreenshotOptions,
} from './page.ts';

/** Timeouts of the browser, and how long it stays idle. */
export type BrowserLimits = Pick<Limits, 'browserStartMs' | 'browserIdleMs' | 'pageLoadMs' | 'canvasEvalMs'>;

/** The origin of our own pages. RFC 6761 reserves the name, so it never resolves. */
export const OWN_ORIGIN = 'https://page.pincer.invalid';

/** Minimum timeout of a script. A recording of a minute is one. */
const EVALUATE_MS = 120_000;

interface PageParts {
  readonly connection: Connection;
  readonly session: string;
  readonly isVisible: boolean;
  readonly limits: BrowserLimits;
  /** Disposes what was created for the page. */
  dispose(): Promise<void>;
}

export async function openPage(
  { connection, session, isVisible, limits, dispose }: PageParts,
  options: PageOptions,
): Promise<Page> {
  const timeoutMs = Math.max(EVALUATE_MS, limits.canvasEvalMs);
  let isOpen = true;
  let html = '';
  const listeners = new Set<(method: string, params: Params) => void>();

  const send = (method: string, params: Params = {}, timeoutMs?: number): Promise<Params> =>
    isOpen
      ? connection.send(method, params, { session, ...(timeoutMs === undefined ? {} : { timeoutMs }) })
      : Promise.reject(new BrowserError('gone', 'The page is closed.'));
  /** Sends a command without waiting for its answer. */
  const post = (method: string, params?: Params): void => void send(method, params).catch(() => undefined);

  const onEvent: Page['onEvent'] = (listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const stopListening = connection.onEvent((method, params, from) => {
    if (method === 'Target.detachedFromTarget' && params['sessionId'] === session) isOpen = false;
    if (from !== session) return;
    if (method === 'Inspector.targetCrashed') isOpen = false;
    if (method === 'Page.javascriptDialogOpening')
      // A dialog would block forever, so it is dismissed. Only leaving a page is accepted.
      post('Page.handleJavaScriptDialog', { accept: params['type'] === 'beforeunload' });
    if (method === 'Fetch.requestPaused') post('Fetch.fulfillRequest', ownAnswer(params, html));
    for (const listener of listeners) listener(method, params);
  });

  const page: Page = {
    get isOpen() {
      return isOpen && !connection.isEnded;
    },
    isVisible,
    evaluate: (expression, signal) => evaluate(send, expression, { signal, timeoutMs }),
    screenshot: (options) => takeScreenshot(page, options),
    async navigate(url, signal) {
      try {
        await orAborted(navigate(send, onEvent, url, limits.pageLoadMs), signal, waitAborted);
      } catch (error) {
        if (signal?.aborted) post('Page.stopLoading');
        throw error;
      }
    },
    async setContent(text, signal) {
      html = text;
      await page.navigate(`${OWN_ORIGIN}/`, signal);
    },
    async resize({ width, height, x, y }) {
      if (!isVisible)
        return void (await send('Emulation.setDeviceMetricsOverride', {
          width,
          height,
          deviceScaleFactor: 1,
          mobile: false,
        }));
      const { windowId } = await send('Browser.getWindowForTarget');
      const bounds = { width, height, ...(x === undefined || y === undefined ? {} : { left: x, top: y }) };
      await send('Browser.setWindowBounds', { windowId, bounds });
    },
    send: (method, params) => send(method, params),
    onEvent,
    async close() {
      isOpen = false;
      stopListening();
      await dispose();
    },
  };

  try {
    await Promise.all([
      send('Page.enable'),
      send('Page.setLifecycleEventsEnabled', { enabled: true }),
      send('Page.addScriptToEvaluateOnNewDocument', { source: QUIET }),
      send('Fetch.enable', { patterns: [{ urlPattern: `${OWN_ORIGIN}/*` }] }),
      page.resize({ width: options.width, height: options.height, ...options.position }),
    ]);
    if (options.html !== undefined) await page.setContent(options.html);
    else if (options.url !== undefined) await page.navigate(options.url);
    return page;
  } catch (error) {
    await page.close();
    throw error;
  }
}

/** Disables the dialogs for printing and screen sharing: a page would block in them. */
const QUIET = `globalThis.print = () => undefined;
if (globalThis.MediaDevices) delete MediaDevices.prototype.getDisplayMedia;`;

/** Serves only the page itself. Everything else at its origin is 404. */
function ownAnswer({ requestId, request, resourceType }: Params, html: string): Params {
  const url = isRecord(request) ? request['url'] : undefined;
  const isPage = resourceType === 'Document' && url === `${OWN_ORIGIN}/`;
  return {
    requestId,
    responseCode: isPage ? 200 : 404,
    responseHeaders: [
      { name: 'Content-Type', value: 'text/html; charset=utf-8' },
      // Also for frames, which our scripts cannot reach.
      { name: 'Permissions-Policy', value: 'display-capture=()' },
    ],
    body: Buffer.from(isPage ? html : '').toString('base64'),
  };
}

/** Pictures of what a page shows. */
async function takeScreenshot(
  page: Page,
  { format, quality, maxWidth }: ScreenshotOptions,
): Promise<Screenshot> {
  const { cssVisualViewport: view } = await page.send('Page.getLayoutMetrics');
  if (!isRecord(view)) throw new BrowserError('refused', 'The page has no size.');
  const number = (name: string): number => Number(view[name]);
  const [width, height] = [number('clientWidth'), number('clientHeight')];
  // With a device pixel ratio above 1, a window has more pixels than its size says.
  const ratio = page.isVisible ? Number(await page.evaluate('devicePixelRatio')) : 1;
  // The browser scales while it draws, at no cost.
  const scale = maxWidth === undefined ? 1 : Math.min(1, maxWidth / (width * ratio));
  const answer = await page.send('Page.captureScreenshot', {
    format,
    ...(format === 'jpeg' && quality !== undefined ? { quality } : {}),
    clip: { x: number('pageX'), y: number('pageY'), width, height, scale },
  });
  const bytes = Buffer.from(textIn(answer, 'data'), 'base64');
  const size = imageSize(bytes);
  if (size === undefined) throw new BrowserError('refused', 'The browser returned no picture.');
  return { bytes, ...size };
}

/** Navigates to an address. Resolves when the page is loaded, or after a timeout. */
async function navigate(
  send: SendToPage,
  onEvent: Page['onEvent'],
  url: string,
  loadMs: number,
): Promise<void> {
  // The protocol would also allow files and internal pages.
  if (!/^https?:/i.test(url)) throw new BrowserError('navigation', 'Only http and https are shown.');
  // The load event may arrive before the answer.
  const seen = new Set<unknown>();
  const loaded = Promise.withResolvers<void>();
  let awaited: unknown;
  const stop = onEvent((method, { name, loaderId }: Params) => {
    if (method !== 'Page.lifecycleEvent' || name !== 'load') return;
    seen.add(loaderId);
    if (loaderId === awaited) loaded.resolve();
  });
  const timer = setTimeout(loaded.resolve, loadMs).unref();
  try {
    const answer = await send('Page.navigate', { url });
    const failure = answer['isDownload'] === true ? 'It is a download.' : textIn(answer, 'errorText');
    if (failure !== '') throw new BrowserError('navigation', failure);
    awaited = answer['loaderId'];
    // Absent for a navigation within the same document.
    if (awaited !== undefined && !seen.has(awaited)) await loaded.promise;
  } finally {
    clearTimeout(timer);
    stop();
  }
}

const MAX_ERROR_CHARS = 300;

type SendToPage = (method: string, params?: Params, timeoutMs?: number) => Promise<Params>;

interface EvaluateOptions {
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number;
}

/** Aborting or timing out also terminates the script in the page. */
export async function evaluate(
  send: SendToPage,
  expression: string,
  { signal, timeoutMs }: EvaluateOptions,
): Promise<unknown> {
  if (signal?.aborted) throw waitAborted();
  const params = { expression, awaitPromise: true, returnByValue: true, timeout: timeoutMs };
  const answer = send('Runtime.evaluate', params, timeoutMs);
  try {
    return valueOf(await orAborted(answer, signal, waitAborted));
  } catch (error) {
    if (error instanceof BrowserError && (error.kind === 'aborted' || error.kind === 'timeout'))
      void send('Runtime.terminateExecution').catch(() => undefined);
    throw error;
  }
}

/** Reads the answer of `Runtime.evaluate`: JSON, undefined, or text for values that JSON cannot represent. */
export function valueOf({ result, exceptionDetails }: Params): unknown {
  if (isRecord(exceptionDetails)) throw new BrowserError('page', thrownText(exceptionDetails));
  if (!isRecord(result)) return undefined;
  return 'unserializableValue' in result ? result['unserializableValue'] : result['value'];
}

/** The first line of the error, without the stack. */
function thrownText({ exception, text }: Params): string {
  const { description, value } = isRecord(exception) ? exception : {};
  const thrown = description ?? value ?? text ?? 'The script threw an exception.';
  const line = (typeof thrown === 'string' ? thrown : JSON.stringify(thrown)).split('\n', 1)[0]!;
  return line.length > MAX_ERROR_CHARS ? `${line.slice(0, MAX_ERROR_CHARS)}…` : line;
}
