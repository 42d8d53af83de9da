/**
 * All processes below one, whatever group they are in: OpenClaw starts its agent and each command of the agent's in a
 * session of their own.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

export interface SeenProcess {
  readonly pid: number;
  readonly parent: number;
  /** Opaque. With the id it names a process for good: ids are used again. */
  readonly start: string;
}

/** The process itself first. */
export function processTree(root: number): SeenProcess[] {
  const all = readAll();
  const found = all.filter(({ pid }) => pid === root);
  for (const { pid } of found) found.push(...all.filter(({ parent }) => parent === pid));
  return found;
}

/** Ends those that are still the ones that were seen, with what they have started since. */
export function killSeen(seen: readonly SeenProcess[]): void {
  const all = readAll();
  const isHere = ({ pid, start }: SeenProcess): boolean =>
    all.some((each) => each.pid === pid && each.start === start);
  for (const { pid } of seen.filter(isHere).flatMap((each) => processTree(each.pid))) kill(pid);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It is gone by now.
  }
}

const readAll = (): SeenProcess[] =>
  process.platform === 'linux'
    ? readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? readProcess(name) : []))
    : readFromPs();

function readProcess(id: string): SeenProcess[] {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, 'latin1');
    // The name, in brackets, may have brackets and blanks in it: fields are counted from its end.
    const [state, parent, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' ? [] : [{ pid: Number(id), parent: Number(parent), start: rest[17] ?? '' }];
  } catch {
    return [];
  }
}

const PS_LINE = /^\s*(\d+)\s+(\d+)\s+([^Z]\S*)\s+(.+?)\s*$/;

function readFromPs(): SeenProcess[] {
  try {
    const text = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat=,lstart='], {
      encoding: 'latin1',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 5_000,
    });
    return text.split('\n').flatMap((line) => {
      const [, pid, parent, , start] = PS_LINE.exec(line) ?? [];
      return start === undefined ? [] : { pid: Number(pid), parent: Number(parent), start };
    });
  } catch {
    // Nothing is known: then nothing is ended that way.
    return [];
  }
}
