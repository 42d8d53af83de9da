import type { Raw } from './entry.ts';
import type { ServerDraft } from './types.ts';

/** Settings for the same, the first that is given counts, each with its unit in milliseconds. */
type Settings = readonly (readonly [key: string, unit: number])[];

const DAY_MS = 24 * 3_600_000;

/** In our units and limits. */
export function timeoutsOf(
  raw: Raw,
  { connect, request }: { connect: Settings; request: Settings },
): Pick<ServerDraft, 'connectTimeoutMs' | 'requestTimeoutMs'> {
  const connectTimeoutMs = first(raw, connect);
  const requestTimeoutMs = first(raw, request);
  return {
    ...(connectTimeoutMs !== undefined && { connectTimeoutMs }),
    ...(requestTimeoutMs !== undefined && { requestTimeoutMs }),
  };
}

function first(raw: Raw, settings: Settings): number | undefined {
  for (const [key, unit] of settings) {
    const value = raw[key];
    if (typeof value === 'number' && value > 0)
      return Math.min(DAY_MS, Math.max(1, Math.round(value * unit)));
  }
  return undefined;
}
