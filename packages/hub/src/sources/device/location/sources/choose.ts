/** Who is asked where this machine is, and in which order. */
import { browserReadiness } from '../../browser/find-browser.ts';
import type { Browser } from '../../browser/browser.ts';
import type { DevicePorts } from '../../ports.ts';
import { findProgram } from '../../programs/find-program.ts';
import { createBrowserLocation } from './browser.ts';
import { createGeoclue, findWhereAmI } from './geoclue.ts';
import type { LocationSource } from './source.ts';
import { createWindowsLocation } from './windows.ts';

export function locationSources(ports: DevicePorts, browser: Browser): readonly LocationSource[] {
  const { platform, env } = ports;
  const whereAmI = findWhereAmI(ports);
  const powershell = platform === 'win32' ? findProgram('powershell', env, platform) : undefined;
  return [
    ...(whereAmI === undefined ? [] : [createGeoclue(ports, whereAmI)]),
    ...(powershell === undefined ? [] : [createWindowsLocation(ports, powershell)]),
    ...(browserReadiness(ports).available ? [createBrowserLocation(browser)] : []),
  ];
}

export function missingHint(platform: NodeJS.Platform): string {
  return platform === 'linux'
    ? 'Install geoclue-2-demo (GeoClue with where-am-i), or Chromium.'
    : 'Install Chromium, Google Chrome or Microsoft Edge.';
}
