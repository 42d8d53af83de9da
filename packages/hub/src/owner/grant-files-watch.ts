/** Tells when a folder of records may have changed. Until somebody has signed in, there is no such folder. */
import { watch, type FSWatcher } from 'node:fs';
import { basename } from 'node:path';

/** A record is written in several steps. */
const SETTLE_MS = 50;

/** Where the system cannot watch, nobody is told: whoever connects looks again anyway. */
export function watchRecords(home: string, folder: string, onChange: () => void): () => void {
  let watcher: FSWatcher | undefined;
  let timer: NodeJS.Timeout | undefined;
  const settle = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      onChange();
    }, SETTLE_MS).unref();
  };

  function begin(path: string, onEvent: (changed: string | null) => void): boolean {
    watcher?.close();
    try {
      watcher = watch(path, { persistent: false }, (_event, changed) => onEvent(changed));
      watcher.on('error', () => watcher?.close());
      return true;
    } catch {
      watcher = undefined;
      return false;
    }
  }

  const beginInside = (): boolean => begin(folder, settle);
  if (!beginInside())
    begin(home, (changed) => {
      if ((changed === null || changed === basename(folder)) && beginInside()) settle();
    });
  return () => {
    clearTimeout(timer);
    watcher?.close();
  };
}
