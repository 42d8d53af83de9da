/** Who is asked where this machine is, and in which order. */
import { browserReadiness } from '../../browser/find-browser.ts';
import type { Browser } from '../../browser/browser.ts';
import type { DevicePorts } from '../../ports.ts';
import { createBrowserLocation } from './browser.ts';
import { createGeoclue, findWhereAmI } from './geoclue.ts';
import type { LocationBackend } from './backend.ts';
import { createWindowsLocation } from './windows.ts';

export function locationBackends(ports: DevicePorts, browser: Browser): readonly LocationBackend[] {
  const whereAmI = findWhereAmI(ports);
  return [
    ...(whereAmI === undefined ? [] : [createGeoclue(ports, whereAmI)]),
    ...(ports.platform === 'win32' ? [createWindowsLocation(ports)] : []),
    ...(browserReadiness(ports).available ? [createBrowserLocation(browser)] : []),
  ];
}

export function missingHint(platform: NodeJS.Platform): string {
  return platform === 'linux'
    ? 'Install geoclue-2-demo (GeoClue with where-am-i), or Chromium.'
    : 'Install Chromium, Google Chrome or Microsoft Edge.';
}
