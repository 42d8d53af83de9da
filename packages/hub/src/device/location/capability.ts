/** Where this machine is: as the person has set it, as the system says, or as the browser says. Never by an address. */
import { z } from 'zod';
import type { DevicePorts } from '../ports.ts';
import { defineCapability, type Capability, type Readiness } from '../registry/capability.ts';
import { LOCATION_INPUT, orderOf, type LocationOrder } from './arguments.ts';
import { locationFailure, notAvailable, LocationProblem } from './failures.ts';
import { isPrecise, payloadOf, type Fix } from './fix.ts';
import { locationSources, type LookedAt } from './backends/choose.ts';
import type { Log } from '../../core/ports.ts';
import type { LocationBackend } from './backends/backend.ts';

export interface FixedPosition {
  readonly latitude: number;
  readonly longitude: number;
  /** Metres. */
  readonly accuracy?: number | undefined;
}

const FIXED_ACCURACY_METERS = 10;

export interface LocationCapabilityParts extends LookedAt {
  /** Asked at each call; undefined: the person has set none. */
  fixed(): FixedPosition | undefined;
}

export function createLocationCapability(
  ports: DevicePorts,
  { fixed, ...lookedAt }: LocationCapabilityParts,
): Capability {
  const { clock, log } = ports;
  let last: Fix | undefined;

  return defineCapability({
    category: 'location',
    commands: {
      'location.get': {
        description:
          'Says where this machine is. Args: accuracy (default or high) or desiredAccuracy (coarse, balanced, precise), maxAge (ms, default 30000), locationTimeout (ms, default 10000). Returns { latitude, longitude, accuracy (metres), timestamp (ms since 1970), timestampIso, isPrecise, source }, and lat, lon, accuracyMeters for clients that read these.',
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
          const { backends, doubt, hint } = locationSources(ports, lookedAt);
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
    const { backends, doubt, hint } = locationSources(ports, lookedAt);
    if (backends.length === 0) return { commands, available: false, reason: 'nothing here knows it', hint };
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

/** A place that is no better known is a guess by the address of the connection, and those are never told. */
const MAX_ACCURACY_METERS = 5_000;

interface LocateParts {
  readonly log: Log;
  /** Milliseconds that only grow. */
  elapsed(): number;
  readonly signal: AbortSignal;
}

/** Asks one source after the other until one knows. */
async function locate(
  sources: readonly LocationBackend[],
  { accuracy, timeoutMs }: LocationOrder,
  { log, elapsed, signal }: LocateParts,
): Promise<Fix> {
  const begin = elapsed();
  let problem = new LocationProblem('unknown', 'nobody was asked');
  for (const source of sources) {
    const left = Math.round(timeoutMs - (elapsed() - begin));
    if (left <= 0) break;
    try {
      const fix = await source.locate({ accuracy, timeoutMs: left, signal });
      if (fix.accuracy <= MAX_ACCURACY_METERS) return fix;
      problem = new LocationProblem('unknown', `${source.name} knows it within ${fix.accuracy} metres only`);
    } catch (error) {
      if (!(error instanceof LocationProblem)) throw error;
      // The person has said no: nobody else is asked behind their back.
      if (error.problem === 'denied' || error.problem === 'off') throw error;
      log.debug('a source does not know where this machine is', { source: source.name, error });
      problem = error;
    }
  }
  throw problem;
}
