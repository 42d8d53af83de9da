/** The location service of Windows, through PowerShell. */
import { powershell } from '../../core/powershell.ts';
import { isRecord } from '../../lib/record.ts';
import type { DevicePorts } from '../registry/ports.ts';
import { desktopEnvironment } from '../programs/run-program.ts';
import { cancelled } from '../registry/capability.ts';
import { LocationProblem, isPlace, type Fix, type LocationBackend, type Accuracy } from './fix.ts';

const MAX_BYTES = 64 * 1024;
/** Time for PowerShell to start. */
const GRACE_MS = 10_000;

/** Contains no text from a caller. */
export const watcherScript = (timeoutMs: number, accuracy: Accuracy): string =>
  [
    "$ErrorActionPreference = 'Stop'",
    'Add-Type -AssemblyName System.Device',
    `$w = New-Object System.Device.Location.GeoCoordinateWatcher('${accuracy === 'precise' ? 'High' : 'Default'}')`,
    '$w.Start()',
    `$end = (Get-Date).AddMilliseconds(${timeoutMs})`,
    "while ($w.Status -ne 'Ready' -and $w.Permission -ne 'Denied' -and (Get-Date) -lt $end) { Start-Sleep -Milliseconds 100 }",
    '$p = $w.Position',
    '$l = $p.Location',
    '@{ permission = "$($w.Permission)"; status = "$($w.Status)"; known = -not $l.IsUnknown; latitude = $l.Latitude; longitude = $l.Longitude; accuracy = $l.HorizontalAccuracy; altitude = $l.Altitude; at = $p.Timestamp.ToUnixTimeMilliseconds() } | ConvertTo-Json -Compress',
    '$w.Stop()',
  ].join('; ');

/** Parses the output of the script. NaN comes as text. */
export function parseWatcher(text: string): Fix {
  const answer = read(text);
  if (!isRecord(answer)) throw new LocationProblem('unknown', `PowerShell wrote: ${text.slice(0, 1_000)}`);
  if (answer['permission'] === 'Denied') throw new LocationProblem('denied', 'Windows denies the position');
  if (answer['status'] === 'Disabled') throw new LocationProblem('off', 'the location service is disabled');
  if (answer['known'] !== true)
    throw new LocationProblem('late', `the status is ${String(answer['status'])}`);
  const [latitude, longitude, accuracy, altitude, at] = [
    'latitude',
    'longitude',
    'accuracy',
    'altitude',
    'at',
  ].map((key) => Number(answer[key])) as [number, number, number, number, number];
  const fix = { latitude, longitude, accuracy, at, source: 'windows' };
  if (!isPlace(fix)) throw new LocationProblem('unknown', 'Windows returned no valid position');
  return Number.isFinite(altitude) ? { ...fix, altitude } : fix;
}

function read(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const createWindowsLocation = (ports: DevicePorts): LocationBackend => ({
  name: 'Windows location service',
  async locate({ accuracy, timeoutMs, signal }) {
    const { kind, stdout, stderr } = await ports.run({
      ...powershell(watcherScript(timeoutMs, accuracy), ports.env),
      env: desktopEnvironment(ports.env),
      signal,
      timeoutMs: timeoutMs + GRACE_MS,
      maxBytes: MAX_BYTES,
      whenFull: 'drop',
    });
    if (signal.aborted) throw cancelled();
    if (kind === 'timed-out') throw new LocationProblem('late', 'PowerShell took too long');
    const output = stdout.toString('utf8').trim();
    return parseWatcher(output === '' ? stderr.toString('utf8') : output);
  },
});
