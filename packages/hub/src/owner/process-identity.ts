/**
 * Identifies processes. Ids are reused, so an id counts only together with the start time of its process. Every client
 * command loads this file: it imports nothing but node:fs.
 */
import { readFileSync, readdirSync } from 'node:fs';

export interface ProcessFacts {
  readonly pid: number;
  /** Id of the process that started it, or of the one that takes orphans. */
  readonly parent: number;
  /** Id of its process group. */
  readonly group: number;
  /** Id of its session; undefined where the system does not tell. */
  readonly session: number | undefined;
  /** Dead, but not yet collected by its parent. */
  readonly zombie: boolean;
  /** Opaque; equal strings mean the same process. `compareStarts` puts two in order. */
  readonly start: string;
}

const IS_LINUX = process.platform === 'linux';

let bootIdOnce: string | undefined;
/** Start times on Linux count from boot: without the boot's id they repeat after a restart of the machine. */
const bootId = (): string =>
  (bootIdOnce ??= readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim());

function readFromProc(pid: number | string): ProcessFacts | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // Field 2 is the program's name, in brackets, and may itself hold brackets and blanks: count from its end.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const state = fields[0] ?? '';
    return {
      pid: Number.parseInt(stat, 10),
      parent: Number(fields[1]),
      group: Number(fields[2]),
      session: Number(fields[3]),
      zombie: state === 'Z' || state === 'X',
      start: `${fields[19] ?? ''}@${bootId()}`,
    };
  } catch {
    return undefined;
  }
}

const PS_LINE = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/;

function readFromPs(selection: readonly string[]): ProcessFacts[] {
  // Loaded only here, because Linux does not need it.
  const { execFileSync } = process.getBuiltinModule('node:child_process');
  try {
    const text = execFileSync('ps', ['-o', 'pid=,ppid=,pgid=,stat=,lstart=', ...selection], {
      cwd: '/',
      encoding: 'latin1',
      stdio: ['ignore', 'pipe', 'ignore'],
      // The same time must always be written in the same way.
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
      timeout: 5_000,
    });
    return text.split('\n').flatMap((line) => {
      const [, pid, parent, group, state, start] = PS_LINE.exec(line) ?? [];
      if (state === undefined || start === undefined) return [];
      return {
        pid: Number(pid),
        parent: Number(parent),
        group: Number(group),
        session: undefined,
        zombie: state.startsWith('Z'),
        start,
      };
    });
  } catch {
    return [];
  }
}

export function readProcess(pid: number): ProcessFacts | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  return IS_LINUX ? readFromProc(pid) : readFromPs(['-p', String(pid)])[0];
}

/** Returns all processes, including zombies. */
export function readAll(): ProcessFacts[] {
  if (!IS_LINUX) return readFromPs(['-A']);
  return readdirSync('/proc')
    .filter((name) => name.charCodeAt(0) <= 0x39)
    .flatMap((name) => readFromProc(name) ?? []);
}

export const readGroup = (group: number): ProcessFacts[] =>
  readAll().filter((facts) => facts.group === group);

/** Returns the start of a process as an opaque string, or undefined if no such process lives. */
export function processStart(pid: number): string | undefined {
  const facts = readProcess(pid);
  return facts === undefined || facts.zombie ? undefined : facts.start;
}

/** Negative, zero or positive if `a` started before, with or after `b`. NaN if they cannot be compared. */
export function compareStarts(a: string, b: string): number {
  if (!IS_LINUX) return Date.parse(`${a} UTC`) - Date.parse(`${b} UTC`);
  const [ticksA = '', bootA] = a.split('@');
  const [ticksB = '', bootB] = b.split('@');
  if (bootA !== bootB || ticksA === '' || ticksB === '') return Number.NaN;
  return Number(ticksA) - Number(ticksB);
}
