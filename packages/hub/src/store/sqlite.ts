import { existsSync } from 'node:fs';
import type { Clock, Store, StoreIncident } from '../core/ports.ts';
import { openCallFile } from './call-file.ts';
import { openCatalogCache } from './catalogs.ts';
import { asOpenError } from '../core/disk-error.ts';
import { guardFiles } from './file-guard.ts';
import type { StoreFiles } from './files.ts';
import { createIncidents } from './incidents.ts';
import { DEFAULT_RETENTION, type Retention } from './retention.ts';
import { openStateStore } from './state/state-store.ts';

export interface StoreOptions {
  /** How long calls are kept. Default: 30 days and 500 MB. */
  readonly retention?: Partial<Retention>;
  /** Replaces a file atomically. */
  readonly writeFile: (path: string, text: string) => void;
  onIncident?(incident: StoreIncident): void;
  /** Called if old calls could not be removed. The next attempt follows within an hour. */
  onPruneFailed?(error: unknown): void;
}

/** The files of the store that are checked while the hub works. */
export type StoreFile = 'state' | 'cache' | 'calls';

export interface OpenStore extends Store {
  /** Checks the files now, as it does every two seconds. */
  look(): Promise<void>;
  /** Call if a check has found the file damaged. */
  repair(file: StoreFile): void;
  /** Reports that another file could not be written, or that writing works again. */
  reportFailed(path: string, error: unknown): void;
  reportWorked(path: string): void;
}

/** Opens the store of one hub process. No other process may open these files. Their folder must exist. */
export function openStore(files: StoreFiles, clock: Clock, options: StoreOptions): OpenStore {
  using undo = new DisposableStack();
  const opening = <T extends { close(): void }>(path: string, open: () => T): T => {
    try {
      return undo.adopt(open(), (it) => it.close());
    } catch (error) {
      throw asOpenError(path, error);
    }
  };
  const incidents = createIncidents(clock, (incident) => options.onIncident?.(incident));
  const state = opening(files.state, () =>
    openStateStore({ files, clock, incidents, writeFile: options.writeFile }),
  );
  // The first start creates the cache last: if it exists, there was a record. A backup never restores a cache.
  const isExpected = existsSync(files.cache);
  const calls = opening(files.calls, () =>
    openCallFile(files.calls, {
      isExpected,
      clock,
      retention: { ...DEFAULT_RETENTION, ...options.retention },
      incidents,
      onPruneFailed: (error) => options.onPruneFailed?.(error),
    }),
  );
  const cache = opening(files.cache, () => openCatalogCache(files.cache, clock, incidents));
  const guard = guardFiles(
    [
      {
        path: files.state,
        pageBytes: state.pageBytes,
        onLost: (what) => state.rewrite(what),
        onCut: (what) => state.rewrite(what),
      },
      {
        path: files.cache,
        pageBytes: cache.pageBytes,
        onLost: (what) => cache.rewrite(what),
        onCut: (what) => cache.rewrite(what),
      },
      {
        path: files.calls,
        pageBytes: calls.pageBytes,
        onLost: (what) => calls.writeAgain(what),
        onCut: (what) => calls.replace(what),
      },
    ],
    (path, error) => void incidents.failed(path, error),
  );
  undo.defer(() => guard.stop());
  const opened = undo.move();
  return {
    ...state,
    loadCatalogs: cache.loadCatalogs,
    saveCatalog: cache.saveCatalog,
    appendCalls(records) {
      if (records.length > 0) calls.append(records);
    },
    incidents: incidents.list,
    look: guard.look,
    repair(file) {
      const what = 'was found damaged by a check';
      if (file === 'calls') calls.replace(what);
      else (file === 'state' ? state : cache).rewrite(what);
    },
    reportFailed: (path, error) => void incidents.failed(path, error),
    reportWorked: incidents.worked,
    close: () => opened.dispose(),
  };
}
