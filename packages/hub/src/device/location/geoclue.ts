/** GeoClue, the location service of Linux desktops, through its demo program. */
import type { DevicePorts } from '../registry/ports.ts';
import { canRun, findProgram } from '../programs/find-program.ts';
import { desktopEnvironment } from '../programs/run-program.ts';
import { cancelled } from '../registry/capability.ts';
import { LocationProblem, isPlace, type Fix, type LocationBackend, type Accuracy } from './fix.ts';

const PLACES = [
  '/usr/libexec/geoclue-2.0/demos/where-am-i',
  '/usr/lib/geoclue-2.0/demos/where-am-i',
  '/usr/lib/x86_64-linux-gnu/geoclue-2.0/demos/where-am-i',
];

/** GClueAccuracyLevel. Below 5 (neighbourhood), GeoClue would guess from the IP address. */
const LEVELS: Record<Accuracy, number> = { coarse: 5, balanced: 6, precise: 8 };
const MAX_BYTES = 64 * 1024;
const GRACE_MS = 3_000;

export function findWhereAmI(
  { platform, env }: Pick<DevicePorts, 'platform' | 'env'>,
  places: readonly string[] = PLACES,
): string | undefined {
  if (platform !== 'linux') return undefined;
  return findProgram('where-am-i', env, platform) ?? places.find(canRun);
}

export const whereAmIArgs = (timeoutMs: number, accuracy: Accuracy): string[] => [
  '-t',
  `${Math.ceil(timeoutMs / 1_000)}`,
  '-a',
  `${LEVELS[accuracy]}`,
];

/** Returns the last complete position. `now`: its time if the output has none. */
export function parseWhereAmI(text: string, now: number): Fix | undefined {
  for (const block of text.split('New location:').slice(1).toReversed()) {
    const read = (label: string): number | undefined => {
      const found = new RegExp(String.raw`^\s*${label}:\s*([-+]?[\d.]+)`, 'm').exec(block)?.[1];
      return found === undefined ? undefined : Number(found);
    };
    const seconds = /\((\d+) seconds since the Epoch\)/.exec(block)?.[1];
    const fix: Fix = {
      latitude: read('Latitude') ?? Number.NaN,
      longitude: read('Longitude') ?? Number.NaN,
      accuracy: read('Accuracy') ?? Number.NaN,
      at: seconds === undefined ? now : Number(seconds) * 1_000,
      source: 'geoclue',
      altitude: read('Altitude'),
      speed: read('Speed'),
      heading: read('Heading'),
    };
    // The time is the last member of a block.
    if (isPlace(fix) && block.includes('Timestamp:')) return fix;
  }
  return undefined;
}

const isRefusal = (text: string): boolean =>
  /geolocation disabled|disallowed|access ?denied|not authorized/i.test(text);

export const createGeoclue = (ports: DevicePorts, command: string): LocationBackend => ({
  name: 'GeoClue',
  async locate({ accuracy, timeoutMs, signal }) {
    const enough = new AbortController();
    let output = '';
    const { stdout, stderr, reason } = await ports.run({
      command,
      args: whereAmIArgs(timeoutMs, accuracy),
      env: { ...desktopEnvironment(ports.env), LC_ALL: 'C', LANG: 'C' },
      signal: AbortSignal.any([signal, enough.signal]),
      timeoutMs: timeoutMs + GRACE_MS,
      maxBytes: MAX_BYTES,
      whenFull: 'drop',
      onStdout(chunk) {
        // Otherwise it would run until its timeout.
        output = (output + chunk.toString('utf8')).slice(-MAX_BYTES);
        if (parseWhereAmI(output, ports.clock.now()) !== undefined || isRefusal(output)) enough.abort();
      },
    });
    if (signal.aborted) throw cancelled();
    const text = `${stdout.toString('utf8')}\n${stderr.toString('utf8')}`;
    if (isRefusal(text)) throw new LocationProblem('off', text.trim());
    const fix = parseWhereAmI(text, ports.clock.now());
    if (fix !== undefined) return fix;
    const isLate = text.includes('Client object') && !/error/i.test(text);
    throw new LocationProblem(
      isLate ? 'late' : 'unknown',
      `where-am-i ${reason}: ${text.trim().slice(-1_000)}`,
    );
  },
});
