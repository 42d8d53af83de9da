/**
 * The journal of children, `run/children.jsonl`: lists the running children, so that the next owner can end those that a
 * killed owner left. Lines are not synced to disk: they must outlive the process, not the machine.
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

/** Above this size the journal is emptied when no child runs. */
const COMPACT_BYTES = 256 * 1024;

const journalPath = (home: string): string => join(runFolder(home), 'children.jsonl');

/** Call after `endLeftovers`, which empties the file. */
export function openJournal(home: string): Journal {
  const file = openSync(journalPath(home), 'a', 0o600);
  let closed = false;
  const running = new Set<number>();
  let size = 0;
  const append = (entry: object): void => {
    // After the close the descriptor may belong to another file.
    if (!closed) size += writeSync(file, `${JSON.stringify(entry)}\n`);
  };
  /** If no child runs, all lines are obsolete. */
  const compact = (): void => {
    if (closed || running.size > 0 || size < COMPACT_BYTES) return;
    ftruncateSync(file);
    size = 0;
  };
  // A crash may have cut the last line short. A new line keeps the next entry apart.
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
      compact();
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
 * Ends the children that a dead owner left, and empties its journal. Only for the holder of the lease: otherwise it would
 * end the children of a living owner.
 */
export async function endLeftovers(home: string, limits: SpawnLimits = SPAWN_LIMITS): Promise<Leftover[]> {
  const text = readJournal(home);
  if (text === undefined) return [];
  const living = readUnended(text).filter(groupLives);
  const gone = await Promise.all(living.map((group) => endTree(group, limits)));
  truncateSync(journalPath(home));
  return living.filter((_, index) => gone[index]).map(({ pid, command }) => ({ pid, command }));
}
