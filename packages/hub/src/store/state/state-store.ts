/** The part of the store that cannot be recreated: credentials, pins, approvals, sessions of apps. */
import { statSync } from 'node:fs';
import type { Clock, Store, StoredAppSession, StoredApproval } from '../../core/ports.ts';
import { digestOfTools, generationOf } from './state-rows.ts';
import type { StoreFiles } from '../files.ts';
import type { Incidents } from '../incidents.ts';
import { recoverState } from './recover-state.ts';
import { createReplicaWriter } from './replica.ts';
import { drop, put, type Change } from '../rows/table.ts';
import type { RowFile } from '../rows/row-file.ts';
import { openStateFile, type StateFile } from './state-file.ts';
import { splitLegacy } from './split-legacy.ts';
import { plural } from '../../lib/text.ts';

export interface StateStore extends Omit<
  Store,
  'loadCatalogs' | 'saveCatalog' | 'appendCalls' | 'incidents'
> {
  /** Rewrites a lost or damaged file from memory. `what` tells what happened to it. */
  rewrite(what: string): void;
  pageBytes: RowFile['pageBytes'];
}

/** Times as they are stored. */
const wholeMilliseconds = ({ askedAt, decidedAt, ...rest }: StoredApproval): StoredApproval => ({
  ...rest,
  askedAt: Math.trunc(askedAt),
  decidedAt: decidedAt === undefined ? undefined : Math.trunc(decidedAt),
});

export interface StateStoreParts {
  readonly files: StoreFiles;
  readonly clock: Clock;
  readonly incidents: Incidents;
  /** Replaces a file atomically. */
  writeFile(path: string, text: string): void;
}

export function openStateStore({ files, clock, incidents, writeFile }: StateStoreParts): StateStore {
  splitLegacy(files, incidents, clock.now());
  const wasEmpty = (statSync(files.state, { throwIfNoEntry: false })?.size ?? 0) === 0;
  const now = (): number => clock.now();
  const state = openStateFile(files.state, {
    now,
    onRewritten: (movedTo) => reportRewritten('was damaged while the hub ran', movedTo),
  });
  reportDamage(files, state, incidents);
  recoverState({ files, state, incidents, wasEmpty, now });
  const { rows } = state;
  const replica = createReplicaWriter({
    rows,
    write: (text) => writeFile(files.replica, text),
    onFailed: (error) => void incidents.failed(files.replica, error),
    onWritten: () => incidents.worked(files.replica),
  });

  function apply(changes: readonly Change[], isDurable = false): void {
    if (changes.length === 0) return;
    try {
      state.apply(changes, isDurable);
    } catch (error) {
      throw incidents.failed(files.state, error);
    }
    incidents.worked(files.state);
  }

  /** Applies changes that the replica must follow. */
  function applyTrusted(changes: readonly Change[], isDurable = false): void {
    apply([...changes, put(rows.counters, { name: 'generation', value: generationOf(rows) + 1 })], isDurable);
    replica.changed();
  }

  function reportRewritten(what: string, movedTo: string | undefined): void {
    incidents.add({
      file: files.state,
      part: 'file',
      message: `${files.state} ${what}. The hub rewrote it from memory, and nothing is lost.`,
      hint: 'Check the disk, and which program changes the file.',
      movedTo,
    });
  }

  try {
    // Marks every file from before this start as older.
    applyTrusted([]);
  } catch {
    // A full disk is reported, and does not prevent reading.
  }

  return {
    loadPins: () => rows.pins.all(),
    savePins(pins) {
      if (pins.length > 0) applyTrusted(pins.map((pin) => put(rows.pins, pin)));
    },
    deletePins(server, origin) {
      const gone = rows.pins.all().filter((pin) => pin.server === server && pin.origin === origin);
      if (gone.length > 0) applyTrusted(gone.map(({ tool }) => drop(rows.pins, server, origin, tool)));
    },
    loadPinDoubts: () => rows.doubts.all(),
    nameDoubts(servers) {
      if (rows.doubts.get('', '') === undefined) return;
      apply([
        drop(rows.doubts, '', ''),
        ...servers.map((server) => put(rows.doubts, { server, origin: undefined })),
      ]);
    },
    settlePins(server) {
      const settled = rows.doubts.all().filter((doubt) => doubt.server === server);
      apply(settled.map(({ origin }) => drop(rows.doubts, server, origin ?? '')));
    },
    loadApprovals: () => rows.approvals.all(),
    saveApproval(approval) {
      // A used approval must not come back after a power loss. A lost question is asked again.
      const { state, decidedAt } = approval;
      const asked = rows.approvals.get(approval.id) ?? approval;
      apply([put(rows.approvals, wholeMilliseconds({ ...asked, state, decidedAt }))], state !== 'open');
    },
    deleteApproval: (id) => apply([drop(rows.approvals, id)]),
    loadCredentials: () => rows.credentials.all().toSorted((a, b) => a.createdAt - b.createdAt),
    saveCredential(credential) {
      applyTrusted([put(rows.credentials, credential)], true);
      replica.flush();
    },
    deleteCredential(id) {
      if (rows.credentials.get(id) === undefined) return false;
      // Neither a power cut nor the replica must bring a revoked credential back.
      applyTrusted([drop(rows.credentials, id)], true);
      replica.flush();
      return true;
    },
    appSessions: {
      load: () =>
        rows.sessions.all().map(({ list, ...rest }) => ({ ...rest, tools: rows.lists.get(list)!.tools })),
      save: (session) => apply(registration(session)),
      remove(id) {
        const kept = rows.sessions.get(id);
        if (kept !== undefined) apply([drop(rows.sessions, id), ...release(kept.list, id)]);
      },
    },
    rewrite(what) {
      reportRewritten(what, state.rewrite());
      replica.flush();
    },
    pageBytes: state.pageBytes,
    close() {
      replica.close();
      state.close();
    },
  };

  function registration({ tools, ...rest }: StoredAppSession): Change[] {
    const list = digestOfTools(tools);
    const before = rows.sessions.get(rest.id)?.list;
    return [
      ...(rows.lists.get(list) === undefined ? [put(rows.lists, { digest: list, tools })] : []),
      put(rows.sessions, { ...rest, list }),
      ...(before === undefined || before === list ? [] : release(before, rest.id)),
    ];
  }

  /** Removes a list together with its last session. */
  function release(list: string, by: string): Change[] {
    const isUsed = rows.sessions.all().some((session) => session.list === list && session.id !== by);
    return isUsed ? [] : [drop(rows.lists, list)];
  }
}

const SHOWN = 5;

/** Names each damaged part of state.sqlite. */
function reportDamage(
  files: StoreFiles,
  { damage, dropped }: Pick<StateFile, 'damage' | 'dropped'>,
  incidents: Incidents,
): void {
  if (damage === undefined) return;
  const { tables, movedTo } = damage;
  const aside = movedTo === undefined ? '' : ` The damaged file is now ${movedTo}.`;
  const file = files.state;
  const hint = `Check the disk. To restore a copy: pincer restore FILE, with a file from ${files.copies}`;
  if (tables.length === 0) {
    const message = `${file} was damaged in its schema. All rows that can be read were kept.${aside}`;
    incidents.add({ file, part: 'schema', message, hint, movedTo });
  }
  for (const part of tables) {
    const message = `The part "${part}" of ${file} was damaged. All rows that can be read were kept.${aside}`;
    incidents.add({ file, part, message, hint, movedTo });
  }
  if (dropped.length === 0) return;
  const named = dropped.length > SHOWN ? [...dropped.slice(0, SHOWN), '...'] : dropped;
  incidents.add({
    file,
    part: 'app_sessions',
    message: `${plural(dropped.length, 'session')} of apps in ${file} lost the list of tools: ${named.join(', ')}`,
    hint: 'You need not do anything: the apps register again.',
  });
}
