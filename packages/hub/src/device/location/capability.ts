/** Where this machine is: as the person has set it, as the system says, or as the browser says. Never by an address. */
import { z } from 'zod';
import type { DevicePorts } from '../ports.ts';
import { defineCapability, type Capability, type Readiness } from '../registry/capability.ts';
import { LOCATION_INPUT, orderOf } from './arguments.ts';
import { locationFailure, notAvailable } from './failures.ts';
import { isPrecise, payloadOf, type Fix } from './fix.ts';
import { locate } from './locate.ts';
import { locationSources, type LookedAt } from './backends/choose.ts';

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
