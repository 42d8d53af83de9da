/** A position, its form in both dialects, and the failures of location. */
import { CommandFailure } from '../registry/capability.ts';

/** A position. */
export interface Fix {
  readonly latitude: number;
  readonly longitude: number;
  /** Metres. */
  readonly accuracy: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly source: string;
  readonly altitude?: number | undefined;
  readonly speed?: number | undefined;
  readonly heading?: number | undefined;
}

export type Accuracy = 'coarse' | 'balanced' | 'precise';

const PRECISE_METERS = 100;

export const isPrecise = ({ accuracy }: Pick<Fix, 'accuracy'>): boolean => accuracy <= PRECISE_METERS;

export const isPlace = ({
  latitude,
  longitude,
  accuracy,
}: Pick<Fix, 'latitude' | 'longitude' | 'accuracy'>): boolean =>
  [latitude, longitude, accuracy].every(Number.isFinite) &&
  Math.abs(latitude) <= 90 &&
  Math.abs(longitude) <= 180 &&
  accuracy >= 0;

/** In one dialect the timestamp is in milliseconds, in the other it is a date. So the date has a separate name. */
export const payloadOf = (fix: Fix) => ({
  latitude: fix.latitude,
  longitude: fix.longitude,
  accuracy: fix.accuracy,
  timestamp: fix.at,
  lat: fix.latitude,
  lon: fix.longitude,
  accuracyMeters: fix.accuracy,
  timestampIso: new Date(fix.at).toISOString(),
  isPrecise: isPrecise(fix),
  source: fix.source,
  ...(fix.altitude !== undefined && { altitudeMeters: fix.altitude }),
  ...(fix.speed !== undefined && { speedMps: fix.speed }),
  ...(fix.heading !== undefined && { headingDeg: fix.heading }),
});

/** The failure of a source. After `off` and `denied`, which are decisions of the person, no other source is asked. */
export type Problem = 'denied' | 'off' | 'late' | 'unknown';

export class LocationProblem extends Error {
  readonly problem: Problem;

  constructor(problem: Problem, message: string) {
    super(message);
    this.name = 'LocationProblem';
    this.problem = problem;
  }
}

/** The setting that always works, for hints. */
export const POSITION =
  'device.position in the configuration, for example { "latitude": 52.52, "longitude": 13.4 }';
const FIXED = `Or set ${POSITION}.`;

const FAILURES: Record<Problem, { readonly text: string; readonly code: string; readonly hint: string }> = {
  denied: {
    text: 'LOCATION_PERMISSION_REQUIRED',
    code: 'LOCATION_PERMISSION_REQUIRED',
    hint: `Allow the hub and its browser to use the location service of this machine. ${FIXED}`,
  },
  off: {
    text: 'LOCATION_DISABLED: the location service of this machine is switched off or refuses all programs',
    code: 'LOCATION_DISABLED',
    hint: `Switch it on in the settings of the system. ${FIXED}`,
  },
  late: {
    text: 'LOCATION_TIMEOUT: no fix in time',
    code: 'LOCATION_TIMEOUT',
    hint: `Try again with a longer locationTimeout. ${FIXED}`,
  },
  unknown: {
    text: 'LOCATION_UNAVAILABLE: this machine does not know its position',
    code: 'LOCATION_UNAVAILABLE',
    hint: `Set ${POSITION}.`,
  },
};

/** `instead`: the hint if the sources can never know the position. */
export function locationFailure(error: unknown, instead?: string): CommandFailure {
  if (error instanceof CommandFailure) return error;
  if (!(error instanceof LocationProblem))
    return new CommandFailure('Location failed', { hint: 'See the log of the hub.', cause: error });
  const { text, code, hint } = FAILURES[error.problem];
  const isRefused = error.problem === 'denied' || error.problem === 'off';
  return new CommandFailure(text, { code, hint: isRefused ? hint : (instead ?? hint), cause: error });
}

export const notAvailable = (hint: string): CommandFailure =>
  new CommandFailure('Location not available', {
    hint,
    code: 'LOCATION_UNAVAILABLE',
    notExecuted: true,
  });

interface LocateRequest {
  readonly accuracy: Accuracy;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** A source of the position. */
export interface LocationBackend {
  /** For people. */
  readonly name: string;
  /** Rejects with a LocationProblem. */
  locate(request: LocateRequest): Promise<Fix>;
}
