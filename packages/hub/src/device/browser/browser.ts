/** The one Chromium that canvas, camera and location share. It starts with the first page and ends on `close`. */
import type { DevicePorts } from '../registry/ports.ts';
import { browserEnvironment, hasDisplay, startChromium, type Chromium, launchFlags } from './chromium.ts';
import { BrowserError, isBrowserError, type Page, type PageOptions, type WindowPlace } from './page.ts';
import { browserReadiness } from './find-browser.ts';
import { startGuard, type Guard } from './guard.ts';
import { openPage, type BrowserLimits } from './open-page.ts';
import { makeRunFolder, removeLeftFolders } from '../programs/run-folder.ts';
import { newSession, windowSession } from './targets.ts';

export interface Browser {
  open(options: PageOptions): Promise<Page>;
  close(): Promise<void>;
}

export interface BrowserOptions {
  readonly limits: BrowserLimits;
  /** For example `--use-fake-device-for-media-stream`. */
  readonly extraArgs?: readonly string[];
  /** `host:port` that pages may reach although it is not public. */
  readonly allow?: readonly string[];
}

/** The process of all pages without a window. */
interface Shared {
  readonly chromium: Promise<Chromium>;
  pages: number;
}

export function createBrowser(ports: DevicePorts, options: BrowserOptions): Browser {
  const { limits } = options;
  /** Registered before they start, so that `close` waits for them, too. */
  const running = new Set<Promise<Chromium>>();
  let shared: Shared | undefined;
  let idle: NodeJS.Timeout | undefined;
  let guard: Promise<Guard> | undefined;
  let isClosed = false;
  const closing = new AbortController();

  const startedGuard = (): Promise<Guard> =>
    (guard ??= startGuard({
      allow: new Set(options.allow),
      onRefused: (host) => ports.log.info('blocked a page from an address that is not public', { host }),
    }));

  async function launch(window?: WindowPlace): Promise<Chromium> {
    const found = browserReadiness(ports);
    if (!found.available) throw new BrowserError('missing', `There is no browser: ${found.reason}.`);
    await removeLeftFolders(ports.home, 'browser');
    const { address } = await startedGuard();
    const profile = makeRunFolder(ports.home, 'browser');
    const { platform } = ports;
    const isRoot = process.getuid?.() === 0;
    const extraArgs = options.extraArgs ?? [];
    const args = launchFlags({ platform, isRoot, profile, guard: address, window, extraArgs });
    const env = browserEnvironment(ports, profile);
    return startChromium({
      path: found.path,
      args,
      env,
      profile,
      ports,
      limits,
      signal: closing.signal,
    });
  }

  function start(window?: WindowPlace): Promise<Chromium> {
    const starting = launch(window);
    running.add(starting);
    const forget = (): void => {
      running.delete(starting);
      if (shared?.chromium === starting) shared = undefined;
    };
    starting.then(({ gone }) => gone.then(forget), forget);
    return starting;
  }

  function pageClosed(of: Shared): void {
    of.pages -= 1;
    if (of.pages > 0 || shared !== of) return;
    idle = setTimeout(() => {
      shared = undefined;
      void of.chromium.then((chromium) => chromium.end()).catch(() => undefined);
    }, limits.browserIdleMs);
    idle.unref();
  }

  async function openShared(pageOptions: PageOptions): Promise<Page> {
    if (isClosed) throw new BrowserError('gone', 'The browser was closed.');
    clearTimeout(idle);
    const mine = (shared ??= { chromium: start(), pages: 0 });
    mine.pages += 1;
    let isCounted = true;
    const leave = (): void => {
      if (isCounted) pageClosed(mine);
      isCounted = false;
    };
    try {
      const { connection } = await mine.chromium;
      const { session, dispose } = await newSession(connection, pageOptions);
      const end = async (): Promise<void> => {
        leave();
        await dispose();
      };
      return await openPage({ connection, session, isVisible: false, limits, dispose: end }, pageOptions);
    } catch (error) {
      leave();
      throw error;
    }
  }

  async function openWindow(pageOptions: PageOptions): Promise<Page> {
    if (isClosed) throw new BrowserError('gone', 'The browser was closed.');
    const { width, height, position } = pageOptions;
    const chromium = await start({ width, height, ...position });
    const { connection } = chromium;
    const dispose = (): Promise<void> => chromium.end();
    try {
      const session = await windowSession(connection, pageOptions);
      return await openPage({ connection, session, isVisible: true, limits, dispose }, pageOptions);
    } catch (error) {
      await dispose();
      throw error;
    }
  }

  return {
    async open(pageOptions) {
      if (pageOptions.visible === true && hasDisplay(ports))
        try {
          return await openWindow(pageOptions);
        } catch (error) {
          // For example, the display belongs to a session that has ended.
          if (!isBrowserError(error, 'start')) throw error;
          ports.log.warn('cannot open a window on the display: opening the page without one');
        }
      try {
        return await openShared(pageOptions);
      } catch (error) {
        // The browser was killed or crashed since its last use.
        if (isClosed || !isBrowserError(error, 'gone')) throw error;
        shared = undefined;
        return openShared(pageOptions);
      }
    },
    async close() {
      isClosed = true;
      closing.abort();
      clearTimeout(idle);
      const ends = [...running].map((each) => each.then((chromium) => chromium.end()));
      await Promise.allSettled(ends);
      (await guard?.catch(() => undefined))?.close();
    },
  };
}
