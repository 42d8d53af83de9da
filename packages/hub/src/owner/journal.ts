/**
 * The journal of children, `run/children.jsonl`: what the owner has running, written so that the next owner can
 * end what a killed one left. Lines are not synced to disk: they need to outlive the process, not the machine.
 */
import {
  closeSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { hasCode } from '../core/errors.ts';
import { isRecord } from '../lib/record.ts';
import {
  describeGroup,
  endTree,
  groupLives,
  type ProcessGroup,
  SPAWN_LIMITS,
  type SpawnLimits,
} from './end-processes.ts';
import { runFolder } from './state-folder.ts';

export interface Journal {
  /** Call right after the start, while the child cannot have been collected yet. */
  started(pid: number, command: string): ProcessGroup;
  /** The whole group is gone. */
  ended(pid: number): void;
  close(): void;
}

export interface Leftover {
  readonly pid: number;
  readonly command: string;
}

/** A hub that runs programs all day must not fill the disk with the names of the dead. */
const COMPACT_BYTES = 256 * 1024;

const journalPath = (home: string): string => join(runFolder(home), 'children.jsonl');

/** Call after `endLeftovers`, which forgets what is in the file. */
export function openJournal(home: string): Journal {
  const file = openSync(journalPath(home), 'a', 0o600);
  let closed = false;
  const running = new Set<number>();
  let size = 0;
  const append = (entry: object): void => {
    // After the close the descriptor's number may be another file's.
    if (!closed) size += writeSync(file, `${JSON.stringify(entry)}\n`);
  };
  /** Where nobody runs, nothing in it says anything any more. */
  const forgetTheDead = (): void => {
    if (closed || running.size > 0 || size < COMPACT_BYTES) return;
    ftruncateSync(file);
    size = 0;
  };
  // A last line that a crash cut short must not swallow the next one.
  if (fstatSync(file).size > 0) writeSync(file, '\n');
  return {
    started: (pid, command) => {
      const group = describeGroup(pid);
      // The command alone: arguments may hold secrets.
      append({ started: pid, start: group.start, command });
      running.add(pid);
      return group;
    },
    ended(pid) {
      append({ ended: pid });
      running.delete(pid);
      forgetTheDead();
    },
    close: () => {
      if (!closed) closeSync(file);
      closed = true;
    },
  };
}

function parseLine(line: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

function readUnended(text: string): (Leftover & ProcessGroup)[] {
  const running = new Map<number, Leftover & ProcessGroup>();
  for (const line of text.split('\n')) {
    const { started, ended, start, command } = parseLine(line);
    if (typeof ended === 'number') running.delete(ended);
    if (typeof started !== 'number' || typeof start !== 'string' || started === process.pid) continue;
    running.set(started, { pid: started, start, command: typeof command === 'string' ? command : '' });
  }
  return [...running.values()];
}

function readJournal(home: string): string | undefined {
  try {
    return readFileSync(journalPath(home), 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/**
 * Ends what a dead owner left running and empties its journal. Only for the holder of the lease: on a folder
 * whose owner lives, this would end that owner's children.
 */
export async function endLeftovers(home: string, limits: SpawnLimits = SPAWN_LIMITS): Promise<Leftover[]> {
  const text = readJournal(home);
  if (text === undefined) return [];
  const living = readUnended(text).filter(groupLives);
  const gone = await Promise.all(living.map((group) => endTree(group, limits)));
  truncateSync(journalPath(home));
  return living.filter((_, index) => gone[index]).map(({ pid, command }) => ({ pid, command }));
}
