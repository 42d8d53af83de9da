/**
 * Ends programs when the hub is killed. A shell waits for the end of its input, which comes when the hub is gone for any
 * reason. Linux only; on other systems, and for programs that the shell misses, the next hub reads the journal.
 */
import { spawn } from 'node:child_process';
import type { ProcessGroup } from './end-processes.ts';

export interface RunGuard {
  started(group: ProcessGroup): void;
  /** Nothing is left of the group. */
  ended(group: ProcessGroup): void;
}

export const NO_GUARD: RunGuard = { started: () => undefined, ended: () => undefined };

/**
 * Ids are reused, so a group is ended only while its leader is the process that was started (the 22nd field of `stat`).
 * It is killed at once with all its descendants, in any group. Fields are counted from behind the program's name.
 */
const SCRIPT = [
  'list=" "',
  'while read -r sign pid start; do',
  '  case $sign in',
  '    +) list="$list$pid:$start " ;;',
  '    -) list="${list%% $pid:*} ${list#* $pid:* }" ;;',
  '  esac',
  'done',
  'pids=" "',
  'for each in $list; do',
  '  { read -r stat <"/proc/${each%:*}/stat"; } 2>/dev/null || continue',
  '  set -- ${stat##*) } && shift 19',
  '  [ "$1" = "${each#*:}" ] && pids="$pids${each%:*} " groups="$groups -${each%:*}"',
  'done',
  '[ "$groups" ] || exit',
  'for each in /proc/[0-9]*/stat; do',
  '  { read -r stat <"$each"; } 2>/dev/null || continue',
  '  set -- ${stat##*) } && parents="$parents ${stat%% *}:$2"',
  'done',
  'until [ "$pids" = "$before" ]; do',
  '  before=$pids',
  '  for each in $parents; do',
  '    case $pids in',
  '      *" ${each%:*} "*) ;;',
  '      *" ${each#*:} "*) pids="$pids${each%:*} " ;;',
  '    esac',
  '  done',
  'done',
  'kill -KILL $pids $groups',
].join('\n');

/** Programs that end sooner are never passed to the shell. */
const NOTICED_MS = 100;

/** The shell starts with the first program that runs longer than `noticedMs`, and ends with the hub. */
export function createRunGuard(noticedMs = NOTICED_MS): RunGuard {
  if (process.platform !== 'linux') return NO_GUARD;
  let tell: ((line: string) => void) | undefined;
  const unnoticed = new Map<ProcessGroup, NodeJS.Timeout>();
  return {
    started(group) {
      const notice = (): void => {
        unnoticed.delete(group);
        tell ??= startShell();
        tell(`+ ${group.pid} ${group.start.split('@')[0]}\n`);
      };
      unnoticed.set(group, setTimeout(notice, noticedMs).unref());
    },
    ended(group) {
      clearTimeout(unnoticed.get(group));
      if (!unnoticed.delete(group)) tell?.(`- ${group.pid}\n`);
    },
  };
}

function startShell(): (line: string) => void {
  try {
    const shell = spawn('/bin/sh', ['-c', SCRIPT], {
      // The name in process lists.
      argv0: 'pincer-guard',
      cwd: '/',
      env: {},
      // Signals of a terminal go to the hub only.
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    shell.on('error', () => undefined);
    shell.stdin.on('error', () => undefined);
    shell.unref();
    (shell.stdin as unknown as { unref?(): void }).unref?.();
    return (line) => void (shell.stdin.destroyed || shell.stdin.write(line));
  } catch {
    // No process or descriptor is available. The journal remains.
    return () => undefined;
  }
}
