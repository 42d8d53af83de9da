/** Who is asked where this machine is, and in which order. */
import { browserReadiness } from '../../browser/find-browser.ts';
import type { Browser } from '../../browser/browser.ts';
import type { DevicePorts } from '../../ports.ts';
import { POSITION } from '../failures.ts';
import { createBrowserLocation } from './browser.ts';
import { createGeoclue, findWhereAmI } from './geoclue.ts';
import type { LocationBackend } from './backend.ts';
import { createWindowsLocation } from './windows.ts';

export interface LocationSources {
  /** In this order. */
  readonly backends: readonly LocationBackend[];
  /** Why they might not be enough. */
  readonly doubt?: string | undefined;
  /** What to do where they are not enough, or where there are none. */
  readonly hint: string;
}

export interface LookedAt {
  readonly browser: Browser;
  /** Where GeoClue's program may be besides PATH. */
  readonly geocluePlaces?: readonly string[] | undefined;
}

export function locationSources(ports: DevicePorts, { browser, geocluePlaces }: LookedAt): LocationSources {
  const { platform } = ports;
  const whereAmI = findWhereAmI(ports, geocluePlaces);
  const hasBrowser = browserReadiness(ports).available;
  return {
    backends: [
      ...(whereAmI === undefined ? [] : [createGeoclue(ports, whereAmI)]),
      ...(platform === 'win32' ? [createWindowsLocation(ports)] : []),
      ...(hasBrowser ? [createBrowserLocation(browser)] : []),
    ],
    // Chromium asks GeoClue there, or a service of Google's that takes a key.
    doubt:
      platform === 'linux' && whereAmI === undefined && hasBrowser
        ? 'the browser rarely knows the position on Linux'
        : undefined,
    hint:
      platform === 'linux'
        ? `Set ${POSITION}. Or install geoclue-2-demo (GeoClue with where-am-i).`
        : `Install Chromium, Google Chrome or Microsoft Edge. Or set ${POSITION}.`,
  };
}
