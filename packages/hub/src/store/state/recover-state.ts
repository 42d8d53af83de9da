/** Restores lost rows of state.sqlite from the replica and the latest copy, and reports what may be missing. */
import { existsSync } from 'node:fs';
import type { PinDoubt } from '../../core/ports.ts';
import { plural } from '../../lib/text.ts';
import { findCopies, loadCopy } from './copies.ts';
import type { StoreFiles } from '../files.ts';
import type { Incidents } from '../incidents.ts';
import { doubtsOf, readReplica, recoverFrom, type Recovery, type Replica } from './replica.ts';
import { drop, put, type Change } from '../rows/table.ts';
import type { StateFile } from './state-file.ts';
import { generationOf, type StateRows } from './state-rows.ts';

export interface RecoveryParts {
  readonly files: StoreFiles;
  readonly state: StateFile;
  readonly incidents: Incidents;
  /** There was no database, or an empty file. */
  readonly wasEmpty: boolean;
  now(): number;
}

const EVERY_SERVER: PinDoubt = { server: undefined, origin: undefined };

export function recoverState(parts: RecoveryParts): void {
  const { files, state } = parts;
  const read = readReplica(files.replica);
  const replica = read === 'damaged' ? undefined : read;
  const generation = generationOf(state.rows);
  // A damaged file may have lost its generation, which then tells nothing about its age.
  const isDated = generation > 0 || state.damage === undefined;
  const isOlder = isDated && replica !== undefined && replica.generation > generation;
  const isGone = parts.wasEmpty && (read !== undefined || hasTraces(files));
  if (read === 'damaged') reportReplica(parts);
  if (!isOlder && !isGone && !mayLackPins(state)) return;
  const copy = findCopies(files.copies)
    .map(loadCopy)
    .find((each) => each !== undefined);
  const found =
    replica === undefined ? fromCopy(copy, state.rows) : fromReplica(replica, state.rows, parts.now());
  const isLost = isOlder || isGone || replica === undefined || found.pins > 0;
  const doubts = replica === undefined ? [EVERY_SERVER] : doubtsOf(replica);
  state.apply([
    ...withDefinitions(found.changes, copy),
    ...(isGone ? sessionsOf(copy, state.rows) : []),
    ...(isOlder ? withoutApprovals(state.rows) : []),
    ...(isLost ? doubts.map((doubt) => put(state.rows.doubts, doubt)) : []),
  ]);
  if (isLost || found.credentials > 0) reportLoss(parts, found, { isOlder, isGone, isLost, replica });
}

/** Whether a hub has used the folder before: it creates these files at its first start. */
const hasTraces = (files: StoreFiles): boolean => existsSync(files.cache) || existsSync(files.calls);

/** True if SQLite could not tell which table is damaged, or if it is one that pins depend on. */
function mayLackPins({ damage }: StateFile): boolean {
  if (damage === undefined) return false;
  return (
    damage.tables.length === 0 ||
    damage.tables.some((table) => table !== 'approvals' && !table.startsWith('app_'))
  );
}

function fromReplica(replica: Replica, rows: StateRows, now: number): Recovery {
  if (replica.generation >= generationOf(rows)) return recoverFrom(replica, rows, now);
  // The database is newer, so only missing rows are restored.
  const pins = replica.pins.map(({ tools, ...rest }) => ({
    ...rest,
    tools: tools.filter(([tool]) => rows.pins.get(rest.server, rest.origin, tool) === undefined),
  }));
  return recoverFrom(
    { ...replica, pins, credentials: rows.credentials.all() as Replica['credentials'] },
    rows,
    now,
  );
}

/** A copy may be days old, so tokens are not restored from it: one may have been revoked since. */
function fromCopy(copy: StateRows | undefined, rows: StateRows): Recovery {
  const pins = copy?.pins
    .all()
    .filter(({ server, origin, tool }) => rows.pins.get(server, origin, tool) === undefined);
  return { changes: (pins ?? []).map((pin) => put(rows.pins, pin)), pins: pins?.length ?? 0, credentials: 0 };
}

/** The replica has no definitions; a copy may have some. */
const withDefinitions = (changes: readonly Change[], copy: StateRows | undefined): Change[] =>
  changes.map((change) => {
    const { collection, item } = change;
    const isPin =
      copy !== undefined && collection.codec.table === copy.pins.codec.table && item !== undefined;
    const known = isPin ? copy.pins.get(...collection.codec.keyOf(item)) : undefined;
    const wanted = item as { readonly digest?: string } | undefined;
    return known !== undefined && known.digest === wanted?.digest ? { ...change, item: known } : change;
  });

const sessionsOf = (copy: StateRows | undefined, rows: StateRows): Change[] =>
  copy === undefined
    ? []
    : [
        ...copy.lists.all().map((list) => put(rows.lists, list)),
        ...copy.sessions.all().map((session) => put(rows.sessions, session)),
      ];

/** Drops approvals: one may have been used since, so the person is asked again. */
const withoutApprovals = (rows: StateRows): Change[] =>
  rows.approvals.all().map(({ id }) => drop(rows.approvals, id));

function reportReplica({ files, incidents }: RecoveryParts): void {
  incidents.add({
    file: files.replica,
    part: 'file',
    message: `${files.replica} was damaged. The hub rewrites it from state.sqlite.`,
    hint: 'Check the disk.',
  });
}

interface Loss {
  readonly isOlder: boolean;
  readonly isGone: boolean;
  /** Pins may be missing. */
  readonly isLost: boolean;
  readonly replica: Replica | undefined;
}

function reportLoss({ files, incidents }: RecoveryParts, found: Recovery, loss: Loss): void {
  const { isOlder, isGone, isLost, replica } = loss;
  const what = isGone
    ? 'was deleted or emptied'
    : isOlder
      ? 'is older than its last written version'
      : 'has lost rows';
  const back = `${plural(found.pins, 'accepted tool')} and ${plural(found.credentials, 'token')} were restored.`;
  const held = isLost ? ' Tools without a pin are held until you accept them.' : '';
  const tokens = replica === undefined ? ' Tokens made with `pincer token add` may be lost.' : '';
  incidents.add({
    file: files.state,
    part: isGone || isOlder ? 'file' : isLost ? 'pins' : 'credentials',
    message: `${files.state} ${what}. ${back}${held}${tokens}`,
    hint: isLost
      ? 'See the held tools: pincer accept. To restore a backup: pincer restore FILE'
      : 'Check the disk.',
  });
}
