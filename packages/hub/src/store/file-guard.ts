/** Notices that a file of a running hub was deleted, replaced or truncated. SQLite itself continues with the open file. */
import { statSync } from 'node:fs';
import { isDamage } from './damage.ts';

export interface GuardedFile {
  readonly path: string;
  pageBytes(): number;
  /** The file or its log was deleted or replaced. The open handle still has all rows. */
  onLost(what: string): unknown;
  /** Pages are missing. */
  onCut(what: string): unknown;
}

export interface FileGuard {
  /** Checks now. */
  look(): Promise<void>;
  stop(): void;
}

const LOOK_EVERY_MS = 2_000;

interface Snapshot {
  readonly file: number | undefined;
  readonly log: number | undefined;
  readonly bytes: number;
  readonly pageBytes: number;
}

export function guardFiles(
  files: readonly GuardedFile[],
  onFailed: (path: string, error: unknown) => void,
): FileGuard {
  const seen = new Map(files.map((each) => [each, identify(each)]));
  let isLooking = false;

  async function lookAt(file: GuardedFile): Promise<void> {
    const known = seen.get(file)!;
    const now = identify(file);
    const what = describe(known, now);
    if (what === undefined) return void seen.set(file, now);
    const text = `${what} while the hub ran`;
    await (what === CUT ? file.onCut(text) : file.onLost(text));
    seen.set(file, identify(file));
  }

  async function look(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    for (const file of files) await lookAt(file).catch((error: unknown) => onFailed(file.path, error));
    isLooking = false;
  }

  const timer = setInterval(() => void look(), LOOK_EVERY_MS).unref();
  return { look, stop: () => clearInterval(timer) };
}

const CUT = 'was cut off';

function describe(known: Snapshot, now: Snapshot): string | undefined {
  if (now.file === undefined) return 'was deleted';
  if (known.file !== now.file) return 'was replaced';
  // The log appears with the first write and stays until the hub ends.
  if (known.log !== undefined && known.log !== now.log) return 'lost its log';
  // SQLite itself shortens a file only if there are fewer pages.
  if (now.pageBytes === Infinity) return CUT;
  const isShorter = now.bytes < known.bytes && now.pageBytes >= known.pageBytes;
  return isShorter && now.bytes < now.pageBytes ? CUT : undefined;
}

const identify = ({ path, pageBytes }: GuardedFile): Snapshot => ({
  file: inodeOf(path),
  log: inodeOf(`${path}-wal`),
  bytes: statSync(path, { throwIfNoEntry: false })?.size ?? 0,
  pageBytes: readPageBytes(pageBytes),
});

/** Without its first pages SQLite cannot tell the size. */
function readPageBytes(read: () => number): number {
  try {
    return read();
  } catch (error) {
    if (isDamage(error)) return Infinity;
    throw error;
  }
}

/** On Windows an open file cannot be deleted, and inodes are not comparable. */
function inodeOf(path: string): number | undefined {
  const ino = statSync(path, { throwIfNoEntry: false })?.ino;
  return process.platform === 'win32' && ino !== undefined ? 0 : ino;
}
