/** Where this machine is, and how it is told in both dialects. */
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

/** The one dialect has milliseconds as its timestamp and the other a date: the date has a name of its own. */
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
