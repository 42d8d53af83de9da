/**
 * `location.get`: the position from the setting, the system or the browser, in this order. Never from the IP address.
 */
import { z } from 'zod';
import type { Log } from '../../core/ports.ts';
import type { Browser } from '../browser/browser.ts';
import { browserReadiness } from '../browser/find-browser.ts';
import type { DevicePorts } from '../registry/ports.ts';
import { optionalText, text } from '../registry/arguments.ts';
import { defineCapability, type Capability, type Readiness } from '../registry/capability.ts';
import { createBrowserLocation } from './browser.ts';
import {
  locationFailure,
  notAvailable,
  LocationProblem,
  isPrecise,
  payloadOf,
  type Fix,
  type LocationBackend,
  POSITION,
  type Accuracy,
} from './fix.ts';
import { createGeoclue, findWhereAmI } from './geoclue.ts';
import { createWindowsLocation } from './windows.ts';

export interface FixedPosition {
  readonly latitude: number;
  readonly longitude: number;
  /** Metres. */
  readonly accuracy?: number | undefined;
}

const FIXED_ACCURACY_METERS = 10;

interface LocationCapabilityParts extends SourceParts {
  /** The configured position, read for each request. Undefined if the person has set none. */
  fixed(): FixedPosition | undefined;
}

export function createLocationCapability(
  ports: DevicePorts,
  { fixed, ...sourceParts }: LocationCapabilityParts,
): Capability {
  const { clock, log } = ports;
  let last: Fix | undefined;

  return defineCapability({
    category: 'location',
    commands: {
      'location.get': {
        description:
          'Returns the position of this machine. Args: accuracy (default or high) or desiredAccuracy (coarse, balanced, precise), maxAge (ms, default 30000), locationTimeout (ms, default 10000). Returns { latitude, longitude, accuracy (metres), timestamp (ms since 1970), timestampIso, isPrecise, source }, and lat, lon, accuracyMeters for clients that read these.',
        input: LOCATION_INPUT,
        output: z.object({
          latitude: z.number().describe('Degrees.'),
          longitude: z.number().describe('Degrees.'),
          accuracy: z.number().describe('Metres.'),
          timestamp: z.number().describe('Milliseconds since 1970.'),
          lat: z.number().describe('The same as latitude.'),
          lon: z.number().describe('The same as longitude.'),
          accuracyMeters: z.number().describe('The same as accuracy.'),
          timestampIso: z.string().describe('The same as timestamp, as a date.'),
          isPrecise: z.boolean().describe('Within 100 metres.'),
          source: z.string().describe('fixed, geoclue, windows or browser.'),
          altitudeMeters: z.number().optional(),
          speedMps: z.number().optional(),
          headingDeg: z.number().optional(),
        }),
        example: { accuracy: 'high', maxAge: 60_000 },
        annotations: { title: 'Get the position', readOnlyHint: true, openWorldHint: false },
        async run(args, { signal }) {
          const order = orderOf(args);
          const set = fixed();
          if (set !== undefined) return payloadOf(fixedFix(set, clock.now()));
          const isFresh = last !== undefined && clock.now() - last.at < order.maxAgeMs;
          if (isFresh && (order.accuracy !== 'precise' || isPrecise(last!))) return payloadOf(last!);
          const { backends, doubt, hint } = locationSources(ports, sourceParts);
          if (backends.length === 0) throw notAvailable(hint);
          try {
            last = await locate(backends, order, { log, elapsed: () => clock.elapsed(), signal });
          } catch (error) {
            throw locationFailure(error, doubt === undefined ? undefined : hint);
          }
          return payloadOf(last);
        },
      },
    },
    readiness: async () => [readinessOf()],
  });

  function readinessOf(): Readiness {
    const commands = ['location.get'];
    if (fixed() !== undefined)
      return { commands, available: true, backend: 'device.position of the configuration' };
    const { backends, doubt, hint } = locationSources(ports, sourceParts);
    if (backends.length === 0)
      return { commands, available: false, reason: 'this machine has no source for its position', hint };
    const backend = backends.map(({ name }) => name).join(', then ');
    return { commands, available: true, backend, ...(doubt !== undefined && { reason: doubt, hint }) };
  }
}

const fixedFix = (
  { latitude, longitude, accuracy = FIXED_ACCURACY_METERS }: FixedPosition,
  at: number,
): Fix => ({
  latitude,
  longitude,
  accuracy,
  at,
  source: 'fixed',
});

/** A less accurate position is a guess from the IP address, which is never returned. */
const MAX_ACCURACY_METERS = 5_000;

interface LocateParts {
  readonly log: Log;
  /** Milliseconds of a monotonic clock. */
  elapsed(): number;
  readonly signal: AbortSignal;
}

/** Asks the sources in order until one knows the position. */
async function locate(
  sources: readonly LocationBackend[],
  { accuracy, timeoutMs }: LocationOrder,
  { log, elapsed, signal }: LocateParts,
): Promise<Fix> {
  const begin = elapsed();
  let problem = new LocationProblem('unknown', 'no source was asked');
  for (const source of sources) {
    const left = Math.round(timeoutMs - (elapsed() - begin));
    if (left <= 0) break;
    try {
      const fix = await source.locate({ accuracy, timeoutMs: left, signal });
      if (fix.accuracy <= MAX_ACCURACY_METERS) return fix;
      problem = new LocationProblem(
        'unknown',
        `${source.name} knows the position only within ${fix.accuracy} metres`,
      );
    } catch (error) {
      if (!(error instanceof LocationProblem)) throw error;
      // The person has denied access, so no other source is asked.
      if (error.problem === 'denied' || error.problem === 'off') throw error;
      log.debug('a source does not know the position of this machine', { source: source.name, error });
      problem = error;
    }
  }
  throw problem;
}

const TIMEOUT_MS = { min: 1_000, max: 60_000, usual: 10_000 } as const;
const TIMEOUT = { minimum: TIMEOUT_MS.min, maximum: TIMEOUT_MS.max };
const AGE = { minimum: 0 };

// No defaults: they would take precedence over the other name.
const number = (bounds: Readonly<Record<string, number>>, about: string) =>
  z.number().optional().catch(undefined).meta(bounds).describe(about);

export const LOCATION_INPUT = z.object({
  accuracy: text('default', 'default, or high (also: precise).', ['default', 'high', 'precise']),
  desiredAccuracy: optionalText('coarse, balanced or precise; balanced if absent. It overrides accuracy.', [
    'coarse',
    'balanced',
    'precise',
  ]),
  maxAge: number(AGE, 'Maximum age of a cached position in milliseconds; 30000 if absent. 0: no cache.'),
  maxAgeMs: number(AGE, 'Another name of maxAge.'),
  locationTimeout: number(TIMEOUT, 'Milliseconds to wait; 10000 if absent.'),
  timeoutMs: number(TIMEOUT, 'Another name of locationTimeout.'),
});

interface LocationOrder {
  readonly accuracy: Accuracy;
  readonly maxAgeMs: number;
  readonly timeoutMs: number;
}

const DEFAULT_MAX_AGE_MS = 30_000;

export function orderOf(given: z.output<typeof LOCATION_INPUT>): LocationOrder {
  const timeout = given.locationTimeout ?? given.timeoutMs ?? TIMEOUT_MS.usual;
  return {
    accuracy: accuracyOf(given.desiredAccuracy ?? given.accuracy),
    maxAgeMs: Math.max(0, given.maxAge ?? given.maxAgeMs ?? DEFAULT_MAX_AGE_MS),
    timeoutMs: Math.min(TIMEOUT_MS.max, Math.max(TIMEOUT_MS.min, Math.floor(timeout))),
  };
}

function accuracyOf(word: string | undefined): Accuracy {
  const asked = word?.trim().toLowerCase();
  if (asked === 'coarse') return 'coarse';
  return asked === 'precise' || asked === 'high' ? 'precise' : 'balanced';
}

interface LocationSources {
  /** In the order in which they are asked. */
  readonly backends: readonly LocationBackend[];
  /** Why they might not be enough. */
  readonly doubt?: string | undefined;
  /** The hint if they are not enough, or if there are none. */
  readonly hint: string;
}

interface SourceParts {
  readonly browser: Browser;
  /** Folders of GeoClue's program besides the PATH. */
  readonly geocluePlaces?: readonly string[] | undefined;
}

function locationSources(ports: DevicePorts, { browser, geocluePlaces }: SourceParts): LocationSources {
  const { platform } = ports;
  const whereAmI = findWhereAmI(ports, geocluePlaces);
  const hasBrowser = browserReadiness(ports).available;
  return {
    backends: [
      ...(whereAmI === undefined ? [] : [createGeoclue(ports, whereAmI)]),
      ...(platform === 'win32' ? [createWindowsLocation(ports)] : []),
      ...(hasBrowser ? [createBrowserLocation(browser)] : []),
    ],
    // On Linux, Chromium asks GeoClue, or a service of Google that needs a key.
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
