/** A page as the browser's protocol has it: a target with a session. */
import { isRecord } from '../../../core/is-record.ts';
import { BrowserError } from './browser-error.ts';
import type { BrowserLimits } from './browser-limits.ts';
import type { Connection, Params } from './connection.ts';
import { evaluate } from './evaluate.ts';
import { navigate } from './navigate.ts';
import type { Page, PageOptions } from './page.ts';
import { takeScreenshot } from './screenshot.ts';
import { unlessAborted } from './unless-aborted.ts';

/** Where pages are that we bring ourselves. RFC 6761: no name server knows it. */
export const OWN_ORIGIN = 'https://page.pincer.invalid';

/** The least time that a script has; a recording of a minute is one. */
const EVALUATE_MS = 120_000;

export interface PageParts {
  readonly connection: Connection;
  readonly session: string;
  readonly isVisible: boolean;
  readonly limits: BrowserLimits;
  /** Ends what was made for it. */
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
  /** For what nobody waits for. */
  const tell = (method: string, params?: Params): void => void send(method, params).catch(() => undefined);

  const onEvent: Page['onEvent'] = (listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const stopListening = connection.onEvent((method, params, from) => {
    if (method === 'Target.detachedFromTarget' && params['sessionId'] === session) isOpen = false;
    if (from !== session) return;
    if (method === 'Inspector.targetCrashed') isOpen = false;
    if (method === 'Page.javascriptDialogOpening')
      // Whoever waits for an answer to a dialog would wait forever; only leaving a page is agreed to.
      tell('Page.handleJavaScriptDialog', { accept: params['type'] === 'beforeunload' });
    if (method === 'Fetch.requestPaused') tell('Fetch.fulfillRequest', ownAnswer(params, html));
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
        await unlessAborted(navigate(send, onEvent, url, limits.pageLoadMs), signal);
      } catch (error) {
        if (signal?.aborted) tell('Page.stopLoading');
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

/** Windows that a page could open over itself, to ask the person for their screen or a printer, and in which it would wait. */
const QUIET = `globalThis.print = () => undefined;
if (globalThis.MediaDevices) delete MediaDevices.prototype.getDisplayMedia;`;

/** The page itself; there is nothing else at its address. */
function ownAnswer({ requestId, request, resourceType }: Params, html: string): Params {
  const url = isRecord(request) ? request['url'] : undefined;
  const isPage = resourceType === 'Document' && url === `${OWN_ORIGIN}/`;
  return {
    requestId,
    responseCode: isPage ? 200 : 404,
    responseHeaders: [
      { name: 'Content-Type', value: 'text/html; charset=utf-8' },
      // Also for what is framed in it, which scripts of ours may not reach.
      { name: 'Permissions-Policy', value: 'display-capture=()' },
    ],
    body: Buffer.from(isPage ? html : '').toString('base64'),
  };
}
