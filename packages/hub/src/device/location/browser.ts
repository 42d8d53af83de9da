/** The position from the browser, which asks Windows, macOS or its own service. */
import { isBrowserError, type Page } from '../browser/page.ts';
import type { Browser } from '../browser/browser.ts';
import { cancelled } from '../registry/capability.ts';
import { LocationProblem, type Problem, isPlace, type Fix, type LocationBackend } from './fix.ts';

const PAGE = {
  html: '<!doctype html><title>Location</title>',
  width: 320,
  height: 240,
  permissions: ['geolocation'],
};

/** Codes of GeolocationPositionError. */
const PROBLEMS: Readonly<Record<number, Problem>> = { 1: 'denied', 2: 'unknown', 3: 'late' };

/** Added to the timeout of the page, in case it does not answer. */
const GRACE_MS = 2_000;

const locateScript = (options: object): string =>
  `new Promise((resolve) => navigator.geolocation.getCurrentPosition(
    ({ coords, timestamp }) => resolve({ ...coords.toJSON(), timestamp }),
    ({ code, message }) => resolve({ code, message }),
    ${JSON.stringify(options)},
  ))`;

/** The answer of the script. */
type Answer =
  | { readonly code: number; readonly message: string }
  | {
      readonly code?: undefined;
      readonly latitude: number;
      readonly longitude: number;
      readonly accuracy: number;
      readonly altitude: number | null;
      readonly speed: number | null;
      readonly heading: number | null;
      readonly timestamp: number;
    };

function fixOf(answer: Answer): Fix {
  if (answer.code !== undefined)
    throw new LocationProblem(PROBLEMS[answer.code] ?? 'unknown', `the browser says: ${answer.message}`);
  const { latitude, longitude, accuracy, timestamp: at, altitude, speed, heading } = answer;
  const fix = { latitude, longitude, accuracy, at, source: 'browser' };
  if (!isPlace(fix)) throw new LocationProblem('unknown', 'the browser returned no valid position');
  return {
    ...fix,
    altitude: altitude ?? undefined,
    speed: speed ?? undefined,
    heading: heading ?? undefined,
  };
}

export const createBrowserLocation = (browser: Browser): LocationBackend => ({
  name: 'the browser',
  async locate({ accuracy, timeoutMs, signal }) {
    let page: Page | undefined;
    try {
      page = await browser.open(PAGE);
      const options = { enableHighAccuracy: accuracy === 'precise', timeout: timeoutMs, maximumAge: 0 };
      const until = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs + GRACE_MS)]);
      return fixOf((await page.evaluate(locateScript(options), until)) as Answer);
    } catch (error) {
      if (signal.aborted) throw cancelled();
      if (isBrowserError(error, 'aborted')) throw new LocationProblem('late', 'the browser did not answer');
      if (isBrowserError(error)) throw new LocationProblem('unknown', error.message);
      throw error;
    } finally {
      await page?.close();
    }
  },
});
