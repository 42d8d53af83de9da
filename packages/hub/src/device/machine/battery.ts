/** The battery of this machine. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { powershell } from '../../core/powershell.ts';
import type { DevicePorts } from '../registry/ports.ts';
import { desktopEnvironment, endedWell, ProgramFailure } from '../programs/run-program.ts';

export interface Battery {
  readonly present: boolean;
  readonly chargePercent: number | null;
  readonly isCharging: boolean;
  readonly estimatedMinutesRemaining: number | null;
}

const NONE: Battery = {
  present: false,
  chargePercent: null,
  isCharging: false,
  estimatedMinutesRemaining: null,
};
const MAX_RUN_MS = 5_000;
const MAX_OUTPUT_BYTES = 16 * 1024;

type Run = Pick<DevicePorts, 'platform' | 'env' | 'run'>;

export async function readBattery({ platform, env, run }: Run, signal: AbortSignal): Promise<Battery> {
  if (platform !== 'darwin' && platform !== 'win32') return linuxBattery();
  const command =
    platform === 'darwin'
      ? { command: '/usr/bin/pmset', args: ['-g', 'batt'] }
      : powershell(POWER_STATUS, env);
  const limits = { timeoutMs: MAX_RUN_MS, maxBytes: MAX_OUTPUT_BYTES, whenFull: 'drop' as const };
  const end = await run({ ...command, ...limits, env: desktopEnvironment(env), signal });
  if (!endedWell(end)) throw new ProgramFailure(command.command, end);
  return platform === 'darwin' ? appleBattery(end.stdout.toString()) : windowsBattery(end.stdout.toString());
}

/** Names and units: Linux, Documentation/ABI/testing/sysfs-class-power. */
export async function linuxBattery(folder = '/sys/class/power_supply'): Promise<Battery> {
  const names = await readdir(folder).catch(() => []);
  const supplies = await Promise.all(names.map((name) => readSupply(join(folder, name))));
  const batteries = supplies.filter(
    (each) => each.text('type') === 'Battery' && each.text('scope') !== 'Device',
  );
  const [first] = batteries;
  if (first === undefined) return NONE;
  const sum = (...fields: string[]): number | null =>
    fields
      .map((field) => batteries.map((each) => each.number(field)))
      .find((values) => values.every((value) => value !== null))
      ?.reduce((all, value) => all + value, 0) ?? null;
  const [now, full] = [sum('energy_now', 'charge_now'), sum('energy_full', 'charge_full')];
  const rate = sum('power_now', 'current_now');
  const isDraining = batteries.some((each) => each.text('status') === 'Discharging');
  return {
    present: true,
    chargePercent:
      now !== null && full ? Math.min(100, Math.round((now / full) * 100)) : first.number('capacity'),
    isCharging: batteries.some((each) => each.text('status') === 'Charging'),
    estimatedMinutesRemaining: isDraining && now !== null && rate ? Math.round((now / rate) * 60) : null,
  };
}

const FIELDS = ['type', 'scope', 'status', 'capacity'];
const AMOUNTS = ['energy_now', 'energy_full', 'power_now', 'charge_now', 'charge_full', 'current_now'];

async function readSupply(folder: string) {
  const read = async (field: string): Promise<[string, string]> => [
    field,
    await readFile(join(folder, field), 'utf8').catch(() => ''),
  ];
  const values = new Map(await Promise.all([...FIELDS, ...AMOUNTS].map(read)));
  const text = (field: string): string => values.get(field)?.trim() ?? '';
  return {
    text,
    number: (field: string): number | null =>
      /^-?\d+$/.test(text(field)) ? Math.abs(Number(text(field))) : null,
  };
}

/** ` -InternalBattery-0 (id=4653155)	87%; discharging; 5:12 remaining present: true` */
export function appleBattery(text: string): Battery {
  const line = /InternalBattery.*?(\d{1,3})%;\s*([^;]+);([^\n]*)/.exec(text);
  if (line === null) return NONE;
  const [, charge, state = '', rest = ''] = line;
  const left = /(\d+):(\d\d) remaining/.exec(rest);
  const isDraining = state.trim() === 'discharging';
  return {
    present: true,
    chargePercent: Number(charge),
    isCharging: state.trim() === 'charging' || state.trim() === 'finishing charge',
    estimatedMinutesRemaining: isDraining && left !== null ? Number(left[1]) * 60 + Number(left[2]) : null,
  };
}

/** 128: no battery. 8: charging. 255: unknown. */
export const POWER_STATUS = String.raw`$ErrorActionPreference = 'Stop'
Add-Type -AssemblyName System.Windows.Forms
$power = [Windows.Forms.SystemInformation]::PowerStatus
'{0};{1};{2}' -f [int]$power.BatteryChargeStatus, [int][Math]::Round(100 * $power.BatteryLifePercent), $power.BatteryLifeRemaining`;

export function windowsBattery(text: string): Battery {
  const found = /^(\d+);(\d+);(-?\d+)\s*$/.exec(text);
  if (found === null) throw new Error('unexpected output of PowerShell');
  const [flags = 0, charge = 0, seconds = 0] = found.slice(1).map(Number);
  if (flags === 255 || (flags & 128) !== 0) return NONE;
  return {
    present: true,
    chargePercent: Math.min(100, charge),
    isCharging: (flags & 8) !== 0,
    estimatedMinutesRemaining: seconds > 0 ? Math.round(seconds / 60) : null,
  };
}
